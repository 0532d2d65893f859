"""Reader of ElasticJobs."""

from trainc.systems.elasticjob.reader.translate import translate as translate
