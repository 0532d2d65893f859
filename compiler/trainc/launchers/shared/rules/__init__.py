"""Rules about launchers that the program starts itself, under any launcher of the job."""
