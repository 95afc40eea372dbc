package dev.ouroboros.sandbox.host;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.util.List;

/** Loop devices of this machine, through losetup. */
public final class LoopDevices {
    private final Processes processes;

    public LoopDevices(Processes processes) {
        this.processes = processes;
    }

    /** Devices that show this file. */
    public List<String> of(Path file) {
        return processes
                .run(Command.of(
                        "losetup", "--list", "--noheadings", "--output", "NAME", "--associated", file.toString()))
                .orThrow()
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    /** Gives a device back; one that is still mounted somewhere goes when that mount does. */
    public void detach(String device) {
        processes.run(Command.of("losetup", "--detach", device)).orThrow();
    }
}
