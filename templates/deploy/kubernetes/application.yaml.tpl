# kubectl create secret generic {{packageName}} --from-literal=SECRET_KEY_BASE=… --from-literal=DATABASE_URL=postgres://…
# kubectl apply -f deploy/kubernetes/migration.yaml && kubectl wait --for=condition=complete job/{{packageName}}-migrate
# kubectl apply -f deploy/kubernetes/application.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{packageName}}
data:
  FW_ENV: production
  HOSTS: example.com
  # The addresses of the ingress controller.
  TRUSTED_PROXIES: 10.0.0.0/8
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{packageName}}
  labels: { app.kubernetes.io/name: {{packageName}} }
spec:
  replicas: 2
  selector:
    matchLabels: { app.kubernetes.io/name: {{packageName}} }
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels: { app.kubernetes.io/name: {{packageName}} }
    spec:
      # preStop, server.shutdownGrace (20 s) and a reserve.
      terminationGracePeriodSeconds: 40
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        # The user node of the image.
        runAsUser: 1000
        runAsGroup: 1000
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: app
          image: {{packageName}}:latest
          ports: [{ name: http, containerPort: 8080 }]
          envFrom:
            - configMapRef: { name: {{packageName}} }
            - secretRef: { name: {{packageName}} }
          startupProbe:
            httpGet: { path: /up, port: http }
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /up, port: http }
            periodSeconds: 10
            timeoutSeconds: 3
          readinessProbe:
            httpGet: { path: /ready, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          lifecycle:
            # Endpoints are removed while this runs; requests still arrive.
            preStop:
              exec: { command: [sleep, '8'] }
          resources:
            requests: { cpu: 500m, memory: 256Mi }
            limits: { memory: 512Mi }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
---
apiVersion: v1
kind: Service
metadata:
  name: {{packageName}}
spec:
  selector: { app.kubernetes.io/name: {{packageName}} }
  ports: [{ name: http, port: 80, targetPort: http }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{packageName}}
spec:
  minAvailable: 1
  selector:
    matchLabels: { app.kubernetes.io/name: {{packageName}} }
