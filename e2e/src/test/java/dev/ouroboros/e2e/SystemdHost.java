package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.host.CgroupMounts;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A machine that systemd runs: a set of namespaces whose process 1 is systemd, with a disk of its own below this machine's root
 * ({@code systemd-host.sh} says how). Of this machine it has the kernel, and changes nothing.
 */
final class SystemdHost implements RealHost {
    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private final String name;
    private final String address;
    private final Path directory;
    private final CgroupTree cgroups;
    private final LocalProcesses processes = new LocalProcesses();
    private Optional<Process> parent = Optional.empty();

    /** The first one, as docs/real-hosts.md has it. */
    SystemdHost(Path directory) {
        this("host", "10.0.0.5", directory);
    }

    /**
     * @param address of its network device
     * @param directory for its disk
     */
    SystemdHost(String name, String address, Path directory) {
        this.name = name;
        this.address = address;
        this.directory = directory;
        this.cgroups = new CgroupTree(new LocalDisk(), CgroupMounts.find(new LocalDisk()), "ouroboros-e2e-" + name);
    }

    @Override
    public void boot() throws Exception {
        Path disk = directory.resolve("disk.img");
        if (!Files.exists(disk)) {
            processes
                    .run(Command.of("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard", disk.toString(), "20G"))
                    .orThrow();
        }
        Path script = directory.resolve("systemd-host.sh");
        try (InputStream resource = SystemdHost.class.getResourceAsStream("systemd-host.sh")) {
            assertThat(resource).isNotNull();
            Files.write(script, resource.readAllBytes());
        }
        cgroups.create(EnumSet.of(Leaf.NODE));
        List<String> command = new ArrayList<>(List.of(
                "/bin/bash", script.toString(), directory.toString(), OuroProgram.CHECKOUT.toString(), name, address));
        cgroups.paths(Leaf.NODE).forEach(group -> command.add(group.toString()));
        parent = Optional.of(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("boot.log").toFile())
                .start());
        Await.until("systemd has booted: " + directory.resolve("boot.log"), this::isRunning);
    }

    private boolean isRunning() {
        assertThat(parent.orElseThrow().isAlive())
                .as(() ->
                        new LocalDisk().readText(directory.resolve("boot.log")).orElse("no log"))
                .isTrue();
        return processOne().isPresent()
                // Degraded: a unit of the distribution failed, as those do that want hardware.
                && Set.of("running", "degraded")
                        .contains(
                                enter("systemctl", "is-system-running").output().strip());
    }

    /** Every process ends at once, and with them the mounts, networks and control groups. */
    @Override
    public void cutPower() throws Exception {
        processOne().ifPresent(ProcessHandle::destroyForcibly);
        parent.ifPresent(Process::destroyForcibly);
        parent = Optional.empty();
        Await.until("every process has ended", () -> {
            cgroups.processes().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            return cgroups.processes().isEmpty();
        });
        Await.until("its control groups are gone", () -> cgroups.removeEmpty().isEmpty());
        // A second loop device on the same disk would damage it.
        Await.until(
                "its disk is given back",
                () -> processes
                        .run(Command.of(
                                "losetup",
                                "--associated",
                                directory.resolve("disk.img").toString()))
                        .orThrow()
                        .isBlank());
    }

    /** As a service of the machine, as everything on it is run by its systemd. */
    @Override
    public Result shell(String script, Duration timeout) {
        Result result = processes.run(Command.of(entering(
                        "systemd-run",
                        "--quiet",
                        "--pipe",
                        "--wait",
                        "--property=WorkingDirectory=-/root/real-host",
                        "--setenv=HOME=/root",
                        "--setenv=PATH=/opt/checkout:" + PATH,
                        "--setenv=JAVA_HOME=" + System.getProperty("java.home"),
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        script))
                .withTimeout(timeout));
        System.err.println("$ " + script + "\n=> " + result.exitCode() + "\n" + result.error());
        return result;
    }

    /** Plugs the other end of its cable into a switch, until its power is cut. */
    void plugInto(HostSwitch network) {
        // In its network alone: it knows the switch's process by another number, or not at all.
        processes
                .run(Command.of(
                        "nsenter",
                        "--target=" + processOne().orElseThrow().pid(),
                        "--net",
                        "ip",
                        "link",
                        "set",
                        "cable",
                        "netns",
                        Long.toString(network.pid())))
                .orThrow();
        network.attach("cable", name);
    }

    private Result enter(String... command) {
        return processes.run(Command.of(entering(command)));
    }

    private List<String> entering(String... command) {
        List<String> all = new ArrayList<>(List.of(
                "nsenter",
                "--target=" + processOne().orElseThrow().pid(),
                "--mount",
                "--pid",
                "--net",
                "--uts",
                "--ipc",
                "--cgroup",
                "env",
                "-i",
                "PATH=" + PATH));
        all.addAll(List.of(command));
        return all;
    }

    private Optional<ProcessHandle> processOne() {
        return parent.flatMap(process ->
                process.toHandle().children().filter(ProcessHandle::isAlive).findFirst());
    }
}
