"""TLaunch's `tlaunchrun`: a command line as a job of ours. Facts are from the wheel, tlaunch 0.0.2"""
