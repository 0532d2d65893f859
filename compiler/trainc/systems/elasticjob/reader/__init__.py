from trainc.systems.elasticjob.reader.translate import translate as translate
