"""JAX: the program joins the other processes by jax.distributed.initialize."""
