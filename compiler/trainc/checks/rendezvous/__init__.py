"""Rules about the rendezvous, ports and the network between workers."""
