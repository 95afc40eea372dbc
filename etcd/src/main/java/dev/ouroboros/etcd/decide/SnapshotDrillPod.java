package dev.ouroboros.etcd.decide;

import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The static pod of a drill: etcd's own tool makes a data directory of a snapshot, and an etcd with the image, the flags and the keys of this node's member serves it at ports of its own. It is a cluster by
 * itself, of a new ID, knows no other member, and sees nothing of the data of the member that runs.
 *
 * @param member of this node
 * @param directory of the drill, on the node
 * @param id of this drill: kubelets start no pod again that ended and has the same name and manifest (its computePodActions: a pod that is never restarted, whose dead sandbox is still known)
 */
public record SnapshotDrillPod(EtcdMemberPod member, Path directory, String id) {
    /** What the names of the pods of all drills begin with: another word than the member's, by which that is found. */
    public static final String PREFIX = "drill-etcd-";

    /** What restores, in the pod. */
    public static final String RESTORE = "restore";

    /** Between the ports of a member and those of {@link TemporaryMember}s. */
    private static final int OFFSET = 5_000;

    private static final String NAME = "drill";
    private static final String VOLUME = NAME;
    private static final String SNAPSHOT = "snapshot";
    private static final String INSIDE = "/ouroboros-drill";
    private static final String DATA = "data";

    /** What the kubelet calls the pod, without the node's name. */
    public String podName() {
        return PREFIX + id;
    }

    /** Where the restored etcd serves. */
    public String clientUrl() {
        return moved(member.clientUrl());
    }

    /** Where a drill in this directory has its data. */
    public static Path data(Path directory) {
        return directory.resolve(DATA);
    }

    /**
     * The manifest.
     *
     * @param snapshot to be restored, on the node
     * @param tool of etcd that restores it, as the image has it
     */
    public String text(Path snapshot, String tool) {
        Pod pod = member.pod();
        pod.getMetadata().setName(podName());
        pod.getMetadata().setLabels(Map.of());
        pod.getMetadata().setAnnotations(Map.of());
        // Where memory is short it goes first, not with the last.
        pod.getSpec().setPriorityClassName(null);
        pod.getSpec().setPriority(null);
        // A restore that failed is not tried again: what it left would be in its way.
        pod.getSpec().setRestartPolicy("Never");
        Container etcd = EtcdMemberPod.container(pod);
        List<VolumeMount> mounts = etcd.getVolumeMounts().stream()
                .filter(mount -> !isOfData(mount))
                .collect(Collectors.toCollection(ArrayList::new));
        mounts.add(mount(VOLUME, INSIDE, false));
        etcd.setVolumeMounts(mounts);
        etcd.setResources(new ResourceRequirements());
        etcd.setReadinessProbe(null);
        etcd.setStartupProbe(null);
        etcd.setLivenessProbe(null);
        etcd.setPorts(List.of());
        EtcdMemberPod.setFlags(etcd, flags());
        pod.getSpec().setContainers(List.of(etcd));
        pod.getSpec().setInitContainers(List.of(restore(etcd, snapshot, tool)));
        List<String> used = mounts.stream().map(VolumeMount::getName).toList();
        List<Volume> volumes = pod.getSpec().getVolumes().stream()
                .filter(volume -> used.contains(volume.getName()))
                .collect(Collectors.toCollection(ArrayList::new));
        volumes.add(volume(VOLUME, directory));
        volumes.add(volume(SNAPSHOT, snapshot.toAbsolutePath().resolveSibling("")));
        pod.getSpec().setVolumes(volumes);
        return PodYaml.write(pod);
    }

    private boolean isOfData(VolumeMount mount) {
        String data = member.commandLine().value(EtcdMemberPod.DATA).orElseThrow();
        return data.equals(mount.getMountPath()) || data.startsWith(mount.getMountPath() + "/");
    }

    private static Volume volume(String name, Path path) {
        HostPathVolumeSource directory = new HostPathVolumeSource();
        directory.setPath(path.toString());
        directory.setType("Directory");
        Volume volume = new Volume();
        volume.setName(name);
        volume.setHostPath(directory);
        return volume;
    }

    private static VolumeMount mount(String volume, String path, boolean isReadOnly) {
        VolumeMount mount = new VolumeMount();
        mount.setName(volume);
        mount.setMountPath(path);
        mount.setReadOnly(isReadOnly);
        return mount;
    }

    private Map<String, String> flags() {
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("name", NAME);
        flags.put(EtcdMemberPod.DATA, INSIDE + "/" + DATA);
        for (String flag : EtcdMemberPod.MOVED) {
            List<String> urls = EtcdMemberPod.urls(member.commandLine(), flag);
            if (!urls.isEmpty()) {
                flags.put(flag, urls.stream().map(SnapshotDrillPod::moved).collect(Collectors.joining(",")));
            }
        }
        flags.put("initial-cluster-state", "new");
        flags.put(EtcdMemberPod.INITIAL_CLUSTER, initialCluster());
        return flags;
    }

    private String initialCluster() {
        return peers().stream().map(peer -> NAME + "=" + peer).collect(Collectors.joining(","));
    }

    private List<String> peers() {
        return member.peerUrls().stream().map(SnapshotDrillPod::moved).toList();
    }

    private Container restore(Container etcd, Path snapshot, String tool) {
        Container restore = new Container();
        restore.setName(RESTORE);
        restore.setImage(etcd.getImage());
        restore.setImagePullPolicy(etcd.getImagePullPolicy());
        restore.setCommand(List.of(
                tool,
                "snapshot",
                "restore",
                "/" + SNAPSHOT + "/"
                        + Optional.ofNullable(snapshot.getFileName()).orElseThrow(),
                "--data-dir=" + INSIDE + "/" + DATA,
                "--name=" + NAME,
                "--initial-advertise-peer-urls=" + String.join(",", peers()),
                "--initial-cluster=" + initialCluster(),
                "--initial-cluster-token=ouroboros-drill"));
        restore.setSecurityContext(etcd.getSecurityContext());
        restore.setVolumeMounts(List.of(mount(VOLUME, INSIDE, false), mount(SNAPSHOT, "/" + SNAPSHOT, true)));
        return restore;
    }

    private static String moved(String url) {
        return EtcdMemberPod.moved(url, port -> port + OFFSET);
    }
}
