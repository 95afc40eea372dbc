export AWS_EC2_METADATA_DISABLED=true
exec '/usr/local/bin/kubelet' \
    '--bootstrap-kubeconfig=/etc/kubernetes/kubeconfig-kubelet' \
    '--cert-dir=/var/lib/kubelet/pki' \
    '--config=/usr/local/lib/ouroboros/kubelet/generations/base/config.yaml' \
    '--container-runtime=remote' \
    '--container-runtime-endpoint=unix:///run/containerd/containerd.sock' \
    '--hostname-override=node-1' \
    '--kubeconfig=/var/lib/kubelet/kubeconfig' \
    '--node-ip=10.77.0.2' \
    '--pod-infra-container-image=localhost/ouroboros/pause:1' \
    '--root-dir=/var/lib/kubelet'
