# Applies the migrations before a new version: delete the job of the previous version first.
apiVersion: batch/v1
kind: Job
metadata:
  name: {{packageName}}-migrate
spec:
  backoffLimit: 3
  ttlSecondsAfterFinished: 3600
  template:
    spec:
      restartPolicy: OnFailure
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: migrate
          image: {{packageName}}:latest
          command: [node, node_modules/fwjs/dist/tools/cli/main.js, 'db:migrate']
          envFrom:
            - configMapRef: { name: {{packageName}} }
            - secretRef: { name: {{packageName}} }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
