package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.ouroboros.change.decide.EncryptionFile.Place;
import dev.ouroboros.change.decide.EncryptionRotation.Seen;
import dev.ouroboros.change.decide.EncryptionRotation.Step;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class EncryptionRotationTest {
    private static final String KEY = "encryption-config.yaml";
    private static final String BEFORE = configuration("key1");

    private static String configuration(String... keys) {
        StringBuilder text = new StringBuilder("""
                apiVersion: apiserver.config.k8s.io/v1
                kind: EncryptionConfiguration
                resources:
                - resources:
                  - secrets
                  providers:
                  - aescbc:
                      keys:
                """);
        for (String key : keys) {
            text.append("      - name: ")
                    .append(key)
                    .append("\n        secret: ")
                    .append(secret(key))
                    .append('\n');
        }
        return text + "  - identity: {}\n";
    }

    private static String secret(String key) {
        return Base64.getEncoder()
                .encodeToString((key + " of thirty-two bytes........").getBytes(StandardCharsets.UTF_8));
    }

    /** A cluster with Secrets, and a command that is killed now and then. */
    private static final class World {
        private final RotationModel model = new RotationModel(Map.of(KEY, BEFORE), Map.of());
        private final Map<String, String> writtenWith = new HashMap<>(Map.of("a", "key1", "b", "key1", "c", "key1"));
        private final Random random;
        private final Supplier<String> secrets;
        private int undone;
        private boolean rewritten;

        World(long seed) {
            random = new Random(seed);
            secrets = () -> Base64.getEncoder()
                    .encodeToString(Long.toString(random.nextLong()).getBytes(StandardCharsets.UTF_8));
        }

        private Seen seen() {
            return new Seen(model.daemonSet(), model.secretOf(model.daemonSet()), KEY, rewritten, Optional.empty());
        }

        /** What runs must read all that is written, and may write at any time. */
        private void live() {
            EncryptionFile running = file(model.runningSecret());
            String writer = running.writers().iterator().next();
            assertThat(running.keyNames()).containsAll(writtenWith.values());
            writtenWith.put("busy", writer);
            if (!model.apiServerIsSettled()) {
                // Its candidate runs beside it on the same etcd.
                EncryptionFile candidate = file(model.secretOf(model.daemonSet()));
                assertThat(candidate.keyNames()).containsAll(writtenWith.values());
                assertThat(running.keyNames()).containsAll(candidate.writers());
            }
        }

        private static EncryptionFile file(SecretFiles secret) {
            return EncryptionFile.parse(secret.file(KEY).orElseThrow(), secret.name());
        }

        /** One run of the command; false when it was killed. */
        private boolean run() {
            String goal = EncryptionRotation.goal(seen());
            rewritten = false;
            while (true) {
                live();
                boolean killed = random.nextInt(6) == 0;
                switch (EncryptionRotation.next(seen(), goal, model.all(), secrets)) {
                    case Step.Finished() -> {
                        return true;
                    }
                    case Step.Wait _ -> {
                        if (random.nextBoolean()) {
                            model.carryOut();
                        } else if (undone < 3 && random.nextInt(8) == 0) {
                            undone++;
                            rewritten = false;
                            model.undo(
                                    before -> file(before).keyNames().containsAll(writtenWith.values()),
                                    before -> file(model.runningSecret())
                                            .keyNames()
                                            .containsAll(file(before).writers()));
                        }
                    }
                    case Step.Change change -> {
                        assertThat(new Seen(change.daemonSet(), change.secret(), KEY, false, Optional.empty())
                                        .step(goal))
                                .as("each change leads one step on")
                                .isEqualTo(seen().step(goal) + 1);
                        model.create(change.secret());
                        if (killed) {
                            return false;
                        }
                        model.propose(change.daemonSet());
                    }
                    case Step.Rewrite _ -> {
                        List<String> all = new ArrayList<>(writtenWith.keySet());
                        String writer =
                                file(model.runningSecret()).writers().iterator().next();
                        all.subList(0, killed ? 1 : all.size()).forEach(name -> writtenWith.put(name, writer));
                        rewritten = !killed;
                    }
                    case Step.Stopped(String why) -> throw new AssertionError(why);
                }
                if (killed) {
                    return false;
                }
            }
        }
    }

    @Test
    void endsWithTheNewKeyAloneThroughChangesThatAKeeperCarriesOutHoweverOftenItIsKilled() {
        qt().withExamples(80).forAll(longs().all()).checkAssert(EncryptionRotationTest::endsWithTheNewKeyAlone);
    }

    /** While a new key was being added behind key2, people undid that and both changes before it: what that gives back writes with key1. */
    @Test
    void isNotLedAstrayByPeopleWhoUndoMoreThanTheKeeperCarriesOut() {
        endsWithTheNewKeyAlone(-42_546_917_986L);
    }

    private static void endsWithTheNewKeyAlone(long seed) {
        World world = new World(seed);
        int runs = 0;
        while (!world.run()) {
            assertThat(++runs).as("runs").isLessThan(200);
        }
        EncryptionFile end = World.file(world.model.runningSecret());
        assertThat(end.keyNames()).hasSize(1).doesNotContain("key1");
        assertThat(world.writtenWith.values()).allMatch(end.keyNames()::contains);
    }

    @Test
    void takesTheKeyThatAnEarlierRunMadeWhenItWasKilledBeforeTheTemplateNamedIt() {
        World world = new World(1);
        Step.Change first = (Step.Change) EncryptionRotation.next(world.seen(), "key2", List.of(), world.secrets);
        Step.Change again =
                (Step.Change) EncryptionRotation.next(world.seen(), "key2", List.of(first.secret()), world.secrets);

        assertThat(again.secret().name()).isEqualTo(first.secret().name());
        assertThat(((Step.Change) EncryptionRotation.next(world.seen(), "key2", List.of(), world.secrets))
                        .secret()
                        .name())
                .isNotEqualTo(first.secret().name());
    }

    @Test
    void neverTakesAPreparedSecretInWhichTheKeyWritesAlready() {
        World world = new World(1);
        Step.Change reads = (Step.Change) EncryptionRotation.next(world.seen(), "key2", List.of(), world.secrets);
        SecretFiles writes = reads.secret()
                .with(
                        Rotation.ENCRYPTION_KEY,
                        "key2",
                        Map.of(
                                KEY,
                                World.file(reads.secret()).withWriter("key2").text()));
        Step.Change next = (Step.Change) EncryptionRotation.next(world.seen(), "key2", List.of(writes), world.secrets);

        assertThat(World.file(next.secret()).placeOf("key2")).isEqualTo(Place.READER);
    }

    @Test
    void leavesTheOtherFilesOfTheSecretAsTheyAre() {
        World world = new World(1);
        SecretFiles before = world.model.runningSecret();
        SecretFiles after =
                ((Step.Change) EncryptionRotation.next(world.seen(), "key2", List.of(), world.secrets)).secret();

        assertThat(after.object().at("data").fields().keySet())
                .isEqualTo(before.object().at("data").fields().keySet());
        assertThat(after.file("ca.crt")).isEqualTo(before.file("ca.crt"));
        assertThat(after.object().at("immutable").isTrue()).isTrue();
        assertThat(after.name()).matches("kube-apiserver-[0-9a-f]{10}");
    }

    @Test
    void waitsForAChangeThatIsUnderWayAndStopsAtOneThatFailed() {
        World world = new World(1);
        world.model.say("Soaking");
        assertThat(EncryptionRotation.next(world.seen(), "key2", List.of(), world.secrets))
                .isInstanceOf(Step.Wait.class);
        assertThat(new Rollout.Ending("Refused", "", "").mayBeTriedAgain()).isFalse();
    }

    @Test
    void finishesTheRotationWhoseLastChangeIsStillUnderWayAndThenBeginsAnother() {
        World world = new World(1);
        while (world.seen().file().placeOf("key2") != Place.ALONE) {
            switch (EncryptionRotation.next(world.seen(), "key2", List.of(), world.secrets)) {
                case Step.Change change -> {
                    world.model.create(change.secret());
                    world.model.propose(change.daemonSet());
                }
                case Step.Rewrite _ -> world.rewritten = true;
                case Step.Wait _ -> world.model.carryOut();
                case Step other -> throw new AssertionError(other);
            }
        }
        assertThat(EncryptionRotation.goal(world.seen())).isEqualTo("key2");
        world.model.carryOut();
        assertThat(EncryptionRotation.goal(world.seen())).isEqualTo("key3");
    }

    @Test
    void refusesAFileWithoutAKeyThatWrites() {
        assertThatThrownBy(() -> EncryptionFile.parse(BEFORE.replace("aescbc", "kms"), "here"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("KMS");
        assertThatThrownBy(() -> EncryptionFile.parse("resources: [a]", "here"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("is not understood");
    }

    @Test
    void placesAKeyByTheGroupThatKnowsItLeast() {
        EncryptionFile two = EncryptionFile.parse(
                configuration("key2", "key1")
                        + configuration("key1")
                                .substring(BEFORE.indexOf("- resources"))
                                .replace("secrets", "configmaps"),
                "here");

        assertThat(two.placeOf("key2")).isEqualTo(Place.ABSENT);
        assertThat(two.placeOf("key1")).isEqualTo(Place.READER);
        assertThat(two.freeName()).isEqualTo("key3");
        assertThat(two.withReader("key2", () -> secret("other"))
                        .withWriter("key2")
                        .placeOf("key2"))
                .isEqualTo(Place.WRITER);
        assertThat(two.withReader("key2", () -> secret("other"))
                        .withOnly("key2")
                        .placeOf("key2"))
                .isEqualTo(Place.ALONE);
    }

    @Test
    void writesWhatItReadsAgain() {
        EncryptionFile file = EncryptionFile.parse(configuration("key1", "key2"), "here");

        assertThat(EncryptionFile.parse(file.text(), "here")).isEqualTo(file);
        assertThat(file.text()).isEqualTo(configuration("key1", "key2"));
        assertThat(file.toString()).doesNotContain(secret("key1"));
    }

    @Test
    void noStepBeginsWhileAServerOfTheOneBeforeMayWrite() {
        RotationModel model = new RotationModel(Map.of(KEY, BEFORE), Map.of());
        Seen settled = new Seen(model.daemonSet(), model.secretOf(model.daemonSet()), KEY, true, Optional.empty());
        Seen leaving = new Seen(
                model.daemonSet(), model.secretOf(model.daemonSet()), KEY, true, Optional.of("the API server to end"));
        assertThat(EncryptionRotation.next(settled, "key2", List.of(), () -> "c2VjcmV0"))
                .isInstanceOf(Step.Change.class);
        assertThat(EncryptionRotation.next(leaving, "key2", List.of(), () -> "c2VjcmV0"))
                .isEqualTo(new Step.Wait("waits for the API server to end"));
    }
}
