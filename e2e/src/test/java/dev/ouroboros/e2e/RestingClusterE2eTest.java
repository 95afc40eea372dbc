package dev.ouroboros.e2e;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestClassOrder;

/** What is looked at, asked and planned of a cluster that is at rest, and at rest again after each test: they share one. */
@Tag("e2e")
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
final class RestingClusterE2eTest {
    private static final OuroProgram OURO = new OuroProgram("e2e-resting");

    @BeforeAll
    static void up() throws IOException {
        OURO.down();
        OURO.up();
        // At once: up ends with them, nobody has to wait for them.
        KeeperCases.requireCheckpoints(OURO);
    }

    @AfterAll
    static void down() {
        OURO.down();
    }

    @BeforeEach
    void rest() {
        OURO.awaitConvergence();
    }

    @Nested
    @Order(1)
    final class TheKeeper extends KeeperCases {
        TheKeeper() {
            super(OURO);
        }
    }

    @Nested
    @Order(2)
    final class UpgradePlans extends UpgradePlanCases {
        UpgradePlans() {
            super(OURO);
        }
    }

    @Nested
    @Order(3)
    final class Status extends StatusCases {
        Status() {
            super(OURO);
        }
    }
}
