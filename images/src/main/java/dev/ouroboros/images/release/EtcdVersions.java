package dev.ouroboros.images.release;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which etcd goes with which Kubernetes: what kubeadm deploys (SupportedEtcdVersion in cmd/kubeadm/app/constants/constants.go, its
 * newest patch releases; 3.5.0 to 3.5.2, which first came with 1.22, could corrupt data).
 */
enum EtcdVersions {
    UP_TO_1_21(21, "3.4.13"),
    UP_TO_1_33(33, "3.5.24"),
    LATER(Integer.MAX_VALUE, "3.6.9");

    private static final Pattern MINOR = Pattern.compile("^1\\.(\\d{1,5})\\..*");

    private final int lastMinor;
    private final String etcd;

    EtcdVersions(int lastMinor, String etcd) {
        this.lastMinor = lastMinor;
        this.etcd = etcd;
    }

    static String forKubernetes(String version) {
        Matcher parts = MINOR.matcher(version);
        int minor = parts.matches() ? Integer.parseInt(parts.group(1)) : Integer.MAX_VALUE;
        for (EtcdVersions range : values()) {
            if (minor <= range.lastMinor) {
                return range.etcd;
            }
        }
        throw new IllegalStateException("the last range has no end");
    }
}
