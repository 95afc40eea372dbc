package dev.ouroboros.node.front;

import dev.ouroboros.node.namespace.NetworkNamespace;
import dev.ouroboros.node.namespace.TemporaryNamespace;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.util.List;

/** A network namespace of a test, with loopback up; it ends with the test's process however that ends. */
record TestNamespace(TemporaryNamespace temporary) implements AutoCloseable {
    static TestNamespace create() {
        TestNamespace created = new TestNamespace(TemporaryNamespace.create());
        created.run("ip", "link", "set", "lo", "up");
        // No waiting for an address to prove unique: nobody else is on these links.
        created.run("sysctl", "-q", "-w", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0");
        return created;
    }

    NetworkNamespace namespace() {
        return temporary.namespace();
    }

    String file() {
        return namespace().file().toString();
    }

    /** Runs a command inside that must succeed, and returns what it printed. */
    String run(String... command) {
        return new LocalProcesses()
                .run(Command.of(List.of(command)).behind(namespace().prefix()))
                .orThrow();
    }

    @Override
    public void close() {
        temporary.close();
    }
}
