"""Reader of TLaunch's `tlaunchrun` command line. Facts are from the wheel, tlaunch 0.0.2."""
