package dev.ouroboros.node.front;

import dev.ouroboros.node.namespace.NetworkNamespace;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.util.List;

/** A network namespace of a test, with loopback up; its links go with it. */
record TestNamespace(String name, NetworkNamespace namespace) implements AutoCloseable {
    static TestNamespace create(String role) {
        String name = "ouro-test-" + ProcessHandle.current().pid() + "-" + role;
        new LocalProcesses().run(Command.of("ip", "netns", "add", name)).orThrow();
        TestNamespace created = new TestNamespace(name, NetworkNamespace.named(name));
        created.run("ip", "link", "set", "lo", "up");
        return created;
    }

    /** Runs a command inside that must succeed, and returns what it printed. */
    String run(String... command) {
        return new LocalProcesses()
                .run(Command.of(List.of(command)).behind(namespace.prefix()))
                .orThrow();
    }

    @Override
    public void close() {
        new LocalProcesses().run(Command.of("ip", "netns", "delete", name)).orThrow();
    }
}
