"""Reader of PyTorchTrainingJobs."""

from trainc.systems.pytorchtrainingjob.reader.translate import translate as translate
