"""Reader of DeepSpeedJobs."""

from trainc.systems.deepspeedjob.reader.translate import translate as translate
