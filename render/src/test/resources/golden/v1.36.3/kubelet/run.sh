export AWS_EC2_METADATA_DISABLED=true
exec '/usr/local/bin/kubelet' \
    '--bootstrap-kubeconfig=/etc/kubernetes/kubeconfig-kubelet' \
    '--cert-dir=/var/lib/kubelet/pki' \
    '--config=/usr/local/lib/ouroboros/kubelet/generations/base/config.yaml' \
    '--hostname-override=node-1' \
    '--kubeconfig=/var/lib/kubelet/kubeconfig' \
    '--node-ip=10.77.0.2' \
    '--root-dir=/var/lib/kubelet'
