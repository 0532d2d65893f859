"""A valid job with every section of the language, and most fields of each."""

from __future__ import annotations

FULL = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata:
  name: full
  namespace: research
  labels: {team: vision, example.com/cost-center: "4711"}
  annotations: {note: "a: b # c"}
spec:
  image: registry.example.com/train:1
  imagePullPolicy: IfNotPresent
  imagePullSecrets:
  - name: registry
  launch:
    torchrun:
      nprocPerNode: 2
      maxRestarts: 3
      monitorInterval: 0.5
      startMethod: fork
      role: trainer
      logDir: /logs
      redirects: 3
      tee: "0:3,1:1"
      localRanksFilter: [0, 1]
      numaBinding: node
      shareStore: false
      rendezvous:
        backend: c10d
        port: 29401
        id: run-1
        conf: {join_timeout: 600, read_timeout: 60, use_ipv6: true, key: value}
  run:
    python: [train.py, --epochs, 3, --amp, true, "no"]
  workers: 2
  workingDir: /workspace
  securityContext:
    runAsUser: 1000
    runAsNonRoot: true
    fsGroup: 1000
    supplementalGroups: [4000]
    seccompProfile: {type: RuntimeDefault}
    allowPrivilegeEscalation: false
    capabilities: {drop: [ALL]}
  resources:
    cpu: 8
    memory: 64Gi
    ephemeralStorage: 100Gi
    gpu: {count: 2, resource: nvidia.com/gpu, memory: 8000, cores: 50}
    rdma/hca: 1
    claims: [{name: nics, resourceClaimTemplateName: nics, request: nic}]
    requests: {hugepages-2Mi: 128Mi}
    limits: {hugepages-2Mi: 128Mi}
  sharedMemory: 16Gi
  elastic:
    minReplicas: 2
    maxReplicas: 4
    metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}
    behavior:
      scaleDown: {stabilizationWindowSeconds: 600, policies: [{type: Pods, value: 1, periodSeconds: 60}]}
  env:
  - {name: NCCL_DEBUG, value: INFO}
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: token, key: value, optional: true}}}
  envFrom:
  - {configMapRef: {name: settings}, prefix: A_}
  volumes:
  - {name: data, mountPath: /data, readOnly: true, persistentVolumeClaim: {claimName: data}}
  - name: settings
    configMap: {name: settings, items: [{key: a, path: b}], defaultMode: 420}
    mounts:
    - {mountPath: /etc/a, subPath: a}
    - {mountPath: /etc/b, readOnly: true}
  - {name: scratch, mountPath: /scratch, emptyDir: {sizeLimit: 10Gi}}
  - {name: host, mountPath: /host, hostPath: {path: /a, type: Directory}}
  - {name: export, mountPath: /export, nfs: {server: nfs.example.com, path: /a}}
  checkpoint: {path: /data/last.pt, argument: --resume, env: CHECKPOINT}
  save: {path: /data/model}
  shareFile: {directory: /data/share, env: SHARE}
  lifecycle:
    activeDeadlineSeconds: 86400
    backoffLimit: 12
    ttlSecondsAfterFinished: 600
    terminationGracePeriodSeconds: 60
    restartPolicy: OnFailure
  scheduling:
    nodeSelector: {zone: a}
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: gpu, operator: In, values: [a100, h100]}]
    tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    topologySpreadConstraints:
    - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {team: vision}}}
    priorityClassName: high
    schedulerName: default-scheduler
    oneWorkerPerNode: true
    runtime: {name: torch-distributed, kind: ClusterTrainingRuntime}
    topologyKey: {key: topology.kubernetes.io/zone, required: false}
    spot: gke
    gang: {volcano: {queue: research}}
  network:
    fabric: roce
    networks: [rdma-net]
    nvlinkDomain: true
    interface: eth0
    rdma: {resource: rdma/ib, count: 2}
    hostNetwork: true
  podTemplate:
    metadata: {annotations: {sidecar.istio.io/inject: "false"}}
    spec:
      hostNetwork: false
      serviceAccountName: trainer
      securityContext: {runAsUser: 1000, fsGroup: null}
      containers:
      - name: main
        securityContext: {capabilities: {add: [IPC_LOCK]}}
      initContainers:
      - {name: fetch, image: "busybox:1", command: [sh, -c, "true"]}
"""
