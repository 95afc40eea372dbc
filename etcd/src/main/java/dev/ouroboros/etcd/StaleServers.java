package dev.ouroboros.etcd;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.flags.CommandLine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The control plane's processes on this node that were there before etcd was restored. What they have watched is of a history that is gone,
 * and a watch from a revision that is yet to come is silent: they must list again. The kubelet starts them anew.
 *
 * <p>A process is this node's when it runs in our PID namespace or was started from it, as a container's first process is. Other nodes may
 * live in namespaces of this machine.
 */
final class StaleServers implements NodeServers {
    private static final Set<Component> PROGRAMS =
            EnumSet.of(Component.API_SERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER, Component.PROXY);
    private static final String KEEPER = "dev.ouroboros.keeper.";

    private final Predicate<ProcessHandle> isHere;

    StaleServers() {
        this(inOurNamespace());
    }

    /** @param isHere which processes are this node's */
    StaleServers(Predicate<ProcessHandle> isHere) {
        this.isHere = isHere;
    }

    /**
     * Linux counts the start of a process from the machine's boot, and Java converts all of them with one boot time: what the wall clock
     * says, and whether it jumps, does not matter.
     */
    @Override
    public Instant now() {
        Instant began = ProcessHandle.current().info().startInstant().orElseThrow();
        return began.plusMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }

    @Override
    public Evidence<Boolean> startedBefore(Instant moment) {
        return Evidence.known(of(moment).findAny().isPresent());
    }

    @Override
    public void end(Instant moment) {
        of(moment).forEach(ProcessHandle::destroy);
    }

    private Stream<ProcessHandle> of(Instant moment) {
        return ProcessHandle.allProcesses()
                .filter(process ->
                        process.info().startInstant().map(moment::isAfter).orElse(false))
                .filter(process -> isServer(process.info()))
                .filter(isHere);
    }

    private static Predicate<ProcessHandle> inOurNamespace() {
        Optional<Path> here = namespace(ProcessHandle.current());
        return process ->
                here.equals(namespace(process)) || here.equals(process.parent().flatMap(StaleServers::namespace));
    }

    /** Empty for a process that ended meanwhile. */
    private static Optional<Path> namespace(ProcessHandle process) {
        try {
            return Optional.of(Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "pid")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static boolean isServer(ProcessHandle.Info info) {
        List<String> words = new ArrayList<>();
        info.command().ifPresent(words::add);
        info.arguments().map(List::of).ifPresent(words::addAll);
        return ComponentContainer.of("", "", new CommandLine(words))
                        .filter(PROGRAMS::contains)
                        .isPresent()
                || words.stream().anyMatch(word -> word.startsWith(KEEPER));
    }
}
