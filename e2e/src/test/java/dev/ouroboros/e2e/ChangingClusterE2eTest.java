package dev.ouroboros.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestClassOrder;

/** What is changed while clients ask all the time, of whom none may fail: the cases share a cluster whose keeper has short times. */
@Tag("e2e")
@Tag("alone")
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
final class ChangingClusterE2eTest {
    private static final OuroProgram OURO = new OuroProgram("e2e-changing");

    @BeforeAll
    static void up() throws Exception {
        ApiServerChange.clusterWithShortTimes(OURO).close();
    }

    @AfterAll
    static void down() throws Exception {
        try (ControlPlane plane = new ControlPlane(OURO)) {
            plane.printDecisions();
        }
        OURO.down();
    }

    private static String document() throws IOException {
        return Files.readString(Path.of("/var/lib/ouroboros/sandboxes", OURO.sandbox(), "cluster.yaml"));
    }

    /** First: its cluster is to be as it was made. */
    @Nested
    @Order(1)
    final class Upgrades extends UpgradeApplyCases {
        Upgrades() throws IOException {
            super(OURO, new ControlPlane(OURO), document());
        }
    }

    @Nested
    @Order(2)
    final class Changes extends ChangeCases {
        Changes() throws IOException {
            super(OURO, new ControlPlane(OURO));
        }
    }

    /** Last: its node stays slow. */
    @Nested
    @Order(3)
    final class SlowNode extends SlowNodeCases {
        SlowNode() throws IOException {
            super(OURO, new ControlPlane(OURO));
        }
    }
}
