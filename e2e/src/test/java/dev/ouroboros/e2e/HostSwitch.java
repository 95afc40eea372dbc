package dev.ouroboros.e2e;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.util.ArrayList;
import java.util.List;

/** What joins the cables of machines: a bridge in a network namespace of its own, where no rules are. Gone when it is closed. */
final class HostSwitch implements AutoCloseable {
    private static final String BRIDGE = "switch";

    private final LocalProcesses processes = new LocalProcesses();
    private final Process keeper;

    /** Returns when it works. */
    HostSwitch() throws Exception {
        keeper = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "sh",
                        "-c",
                        "ip link add " + BRIDGE + " type bridge && ip link set " + BRIDGE
                                + " up && exec sleep infinity")
                .inheritIO()
                .start();
        Await.until("the switch is there", () -> run("ip", "link", "show", BRIDGE));
    }

    long pid() {
        return keeper.pid();
    }

    /** Gives a cable that has come in a name of its own, and joins it to the others. */
    void attach(String cable, String name) {
        if (!(run("ip", "link", "set", cable, "name", name)
                && run("ip", "link", "set", name, "master", BRIDGE)
                && run("ip", "link", "set", name, "up"))) {
            throw new IllegalStateException("the cable of " + name + " is not in the switch");
        }
    }

    private boolean run(String... command) {
        List<String> all = new ArrayList<>(List.of("nsenter", "--target=" + keeper.pid(), "--net"));
        all.addAll(List.of(command));
        return processes.run(Command.of(all)).succeeded();
    }

    @Override
    public void close() {
        keeper.destroy();
    }
}
