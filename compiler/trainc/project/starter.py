"""Project file to start from: `trainc init --project`."""

STARTER = """\
# What all jobs of this repository have in common. trainc finds this file above each job file.
# All fields: trainc schema project
apiVersion: trainc.dev/v1alpha1
kind: Project
# Other versions of trainc stop with an error.
# requiresTrainc: ">=0.1,<0.2"

# Files of `trainc check` and `trainc compile` without arguments, and where the manifests are.
jobs: [jobs/]
manifests: manifests/

# System that runs the jobs, and exceptions by launcher or path; the first that matches applies.
backend: job
# backends:
# - {launcher: mpirun, backend: mpijob}
# - {paths: ["jobs/queued/**"], backend: jobset}
# versions: {kubernetes: "1.33"}

# Values of all jobs. A job file overrides them: mappings are merged, lists replace the default, and null removes it.
defaults:
  metadata:
    # namespace: training
    labels: {}
  spec:
    {}
    # imagePullSecrets: [{name: registry}]
    # scheduling: {queue: {name: training}}
    # podTemplate: {spec: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}}

# Warnings that are accepted, until a day if they should end.
# ignores:
# - {codes: [TC3088], paths: ["jobs/legacy/**"], until: 2027-01-31, owner: team-vision, reason: moved in January}
"""
