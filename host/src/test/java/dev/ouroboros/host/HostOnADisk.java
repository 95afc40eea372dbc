package dev.ouroboros.host;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.host.Preparation.Planned;
import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.StraightDriver;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The disk of another machine, which is a directory here, and an asset directory to prepare it from; real programs read what is written. */
abstract class HostOnADisk {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path scratch;

    final List<String> said = new ArrayList<>();

    Path root() {
        return scratch.resolve("root");
    }

    Path assets() {
        return scratch.resolve("assets");
    }

    @BeforeEach
    void anAssetDirectoryAndAnEmptyDisk() throws IOException {
        for (String path : HostFiles.neededAssets()) {
            Path file = assets().resolve(path);
            Files.createDirectories(file.resolveSibling("."));
            Files.writeString(file, "of " + path + "\n");
        }
        Files.writeString(
                assets().resolve(AssetLayout.API_SERVER),
                workload("DaemonSet", "kube-apiserver", "--service-cluster-ip-range=10.3.0.0/24"));
        Files.writeString(
                assets().resolve(AssetLayout.CONTROLLER_MANAGER),
                workload(
                        "Deployment",
                        "kube-controller-manager",
                        "--cluster-cidr=10.2.0.0/16",
                        "--allocate-node-cidrs=true"));
        Files.createDirectories(root().resolve("etc"));
        Files.createDirectories(root().resolve("usr/lib/systemd/system"));
        Files.writeString(
                root().resolve("usr/lib/systemd/system/containerd.service"),
                "[Service]\nExecStart=/usr/bin/containerd\n[Install]\nWantedBy=multi-user.target\n");
        Files.createDirectories(root().resolve("usr/bin"));
        Path containerd = Files.writeString(root().resolve("usr/bin/containerd"), "#!/bin/sh\n");
        Files.setPosixFilePermissions(containerd, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(scratch.resolve("kubelet"), "#!/bin/sh\n");
    }

    HostTree tree() {
        return new HostTree(new LocalDisk(), root());
    }

    HostRequest request() {
        return request(RegistryAccess.direct());
    }

    HostRequest request(RegistryAccess access) {
        return request(Optional.of("one"), Optional.of("10.0.0.5"), Optional.empty(), access);
    }

    HostRequest request(
            Optional<String> name, Optional<String> address, Optional<CgroupDriver> driver, RegistryAccess access) {
        return new HostRequest(
                new HostSource.Assets(assets()),
                name,
                address.map(InetAddress::ofLiteral),
                true,
                driver,
                access,
                false);
    }

    /** One that says nothing of what the node is. */
    HostRequest nothingSaid() {
        return request(Optional.empty(), Optional.empty(), Optional.empty(), RegistryAccess.direct());
    }

    Software software(String version) {
        return new Software(
                version,
                Map.of("kubelet", scratch.resolve("kubelet")),
                Stream.of(BuiltImage.PAUSE, BuiltImage.ETCD)
                        .map(component -> new ContainerImage(component, "1", "key", "here", scratch, 1))
                        .toList());
    }

    Planned plan() {
        return plan(request());
    }

    Planned plan(HostRequest request) {
        return new Preparation(tree(), packages(), new LocalProcesses()).plan(request, software("1.20.2"));
    }

    DebianPackages packages() {
        return new DebianPackages(new LocalProcesses(), new LocalDisk(), scratch);
    }

    Planned prepare() {
        return prepare(request());
    }

    Planned prepare(HostRequest request) {
        return prepare(request, new StraightDriver(InstantSource.system()));
    }

    Planned prepare(HostRequest request, ProcedureDriver driver) {
        assumeTrue(Files.exists(Path.of("/usr/bin/systemctl")), "systemctl enables units of a disk");
        Planned planned = plan(request);
        new HostChanges(
                        tree(),
                        new LocalProcesses(),
                        packages(),
                        InstantSource.system(),
                        Duration.ofMinutes(1),
                        said::add,
                        driver)
                .apply(planned, software("1.20.2"));
        return planned;
    }

    Reset reset() {
        return new Reset(tree(), new LocalProcesses(), InstantSource.system(), Duration.ofMinutes(1), said::add);
    }

    List<String> reset(boolean deleteData) {
        return reset().run(reset().plan(deleteData));
    }

    void has(String path, String content) throws IOException {
        Path file = root().resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    List<String> everything() throws IOException {
        try (Stream<Path> all = Files.walk(root())) {
            return all.map(path -> root().relativize(path).toString()).sorted().toList();
        }
    }

    static String workload(String kind, String program, String... flags) {
        return """
                kind: %s
                spec:
                  template:
                    spec:
                      containers:
                      - name: %2$s
                        command: [%2$s, "%3$s"]
                """.formatted(kind, program, String.join("\", \"", flags));
    }
}
