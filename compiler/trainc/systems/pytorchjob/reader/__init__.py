"""Reader of PyTorchJobs."""

from trainc.systems.pytorchjob.reader.translate import translate as translate
