{{/* Labels of everything: call with (dict "root" $ "component" NAME). */}}
{{- define "nemuri.labels" -}}
{{ include "nemuri.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "nemuri.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "nemuri.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Where users of the log and of the tables connect to. Clients are in other namespaces, so the name has that of the release's. */}}
{{- define "nemuri.natsUrl" -}}
{{- if .Values.nats.enabled -}}
{{ ternary "tls" "nats" (ne .Values.nats.tlsSecret "") }}://{{ .Release.Name }}-nats.{{ .Release.Namespace }}.svc:4222
{{- else -}}
{{ .Values.nats.url }}
{{- end -}}
{{- end }}

{{- define "nemuri.database" -}}
{{- if .Values.postgres.enabled -}}
{{ .Release.Name }}-postgres:5432/nemuri
{{- else -}}
{{ .Values.postgres.address }}
{{- end -}}
{{- end }}

{{/* Secret with the password of the database's superuser, if there is one. */}}
{{- define "nemuri.superuserSecret" -}}
{{- if .Values.postgres.enabled -}}
{{ .Release.Name }}-postgres
{{- else -}}
{{ .Values.postgres.superuserSecret }}
{{- end -}}
{{- end }}

{{/* Users of the log: the services, operators, and the processes of societies. As JSON. */}}
{{- define "nemuri.users" -}}
{{ concat (keys .Values.services | sortAlpha) (list "provisioner" "operator" "importer" "eraser" "host" "world") | toJson }}
{{- end }}

{{/* All secrets that the job `permissions` writes, as JSON. */}}
{{- define "nemuri.secrets" -}}
{{- $clients := list -}}
{{- range .Values.clients }}{{ $clients = append $clients (printf "client-%s" .) }}{{ end -}}
{{ concat (list "passwords" "nats" "postgres") (include "nemuri.users" . | fromJsonArray) $clients | toJson }}
{{- end }}

{{/* Arguments of `nemuri permissions`, one a line. */}}
{{- define "nemuri.permissionArguments" -}}
- --namespace={{ .Values.namespace }}
- --nats={{ include "nemuri.natsUrl" . }}
- --database={{ include "nemuri.database" . }}
{{- range .Values.clients }}
- --client={{ . }}
{{- end }}
{{- if .Values.nats.enabled }}
{{- range until (int .Values.nats.replicas) }}
- --node={{ $.Release.Name }}-nats-{{ . }}.{{ $.Release.Name }}-nats
{{- end }}
{{- end }}
{{- end }}

{{/* Keys of a secret by which a pod waits for what it needs: the job writes them together with the rest. `addresses`
changes with what the users' files say, `rights` also with what the servers' files say. */}}
{{- define "nemuri.addresses" -}}
addresses-{{ list .Values.namespace (include "nemuri.natsUrl" .) (include "nemuri.database" .) | toJson | sha256sum | trunc 10 }}
{{- end }}

{{- define "nemuri.rights" -}}
rights-{{ list (include "nemuri.image" .) (include "nemuri.permissionArguments" .) | toJson | sha256sum | trunc 10 }}
{{- end }}

{{/* A user's secret as a volume: (dict "root" $ "user" NAME). */}}
{{- define "nemuri.userVolume" -}}
- name: user
  secret:
    secretName: {{ .root.Release.Name }}-{{ .user }}
    defaultMode: 0440
    items:
      - {key: nemuri.env, path: nemuri.env}
      {{- with .root.Values.nats.credentialsKey | default .root.Values.nats.nkeyKey }}
      - {key: {{ . }}, path: nats.key}
      {{- end }}
      {{- if .root.Values.permissions.generate }}
      - {key: {{ include "nemuri.addresses" .root }}, path: addresses}
      {{- end }}
{{- end }}

{{/* The files of `nemuri log archive`, which whoever reads the log needs: as a volume, and as a mount, read-only unless
"writes" is true. */}}
{{- define "nemuri.archiveVolume" -}}
{{- with .Values.archiveClaim }}
- {name: archive, persistentVolumeClaim: {claimName: {{ . }}}}
{{- end }}
{{- end }}

{{- define "nemuri.archiveMount" -}}
{{- if .root.Values.archiveClaim }}
- {name: archive, mountPath: /var/lib/nemuri-archive, readOnly: {{ not (dig "writes" false .) }}}
{{- end }}
{{- end }}

{{- define "nemuri.caVolume" -}}
{{- if .Values.nats.tlsSecret }}
- name: ca
  secret:
    secretName: {{ .Values.nats.tlsSecret }}
    items: [{key: ca.crt, path: ca.crt}]
{{- end }}
{{- end }}

{{/* What every container of ours has: environment, mounts and no rights. */}}
{{- define "nemuri.environment" -}}
image: {{ include "nemuri.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef: {name: {{ .Release.Name }}-settings}
  {{- with .Values.modelsSecret }}
  - secretRef: {name: {{ . }}, optional: true}
  {{- end }}
securityContext: {{ include "nemuri.containerSecurity" . }}
{{- end }}

{{- define "nemuri.containerSecurity" -}}
{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
{{- end }}

{{/* Security of a pod: (dict "root" $ "user" UID); with "token" true it may use the API of Kubernetes. */}}
{{- define "nemuri.podSecurity" -}}
automountServiceAccountToken: {{ dig "token" false . }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* What must run before the services can. With a priority it takes the place of a service's second pod in an upgrade. */}}
{{- define "nemuri.priority" -}}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* A claim of a volume: the dict `size`, `className`. */}}
{{- define "nemuri.claim" -}}
accessModes: [ReadWriteOnce]
{{- with .className }}
storageClassName: {{ . }}
{{- end }}
resources: {requests: {storage: {{ .size }}}}
{{- end }}
