"""TLaunch's `tlaunchrun`: a command line as a job of ours. Facts are from the wheel, https://pypi.org/project/tlaunch/0.0.2/"""
