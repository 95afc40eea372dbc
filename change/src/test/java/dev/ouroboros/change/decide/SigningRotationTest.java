package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.ouroboros.change.decide.SigningRotation.Seen;
import dev.ouroboros.change.decide.SigningRotation.Signer;
import dev.ouroboros.change.decide.SigningRotation.Step;
import dev.ouroboros.keeper.template.PublicKeys;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SigningRotationTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final TokenSecrets NOTHING_LEFT =
            new TokenSecrets(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
    private static final String BROKEN = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
    private static final SigningKey FIRST = SigningKey.like(example("EC"), RANDOM);

    private static PublicKey example(String algorithm) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (algorithm.equals("EC")) {
                generator.initialize(new ECGenParameterSpec("secp256r1"));
            }
            return generator.generateKeyPair().getPublic();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static final class World {
        private final RotationModel model = new RotationModel(
                Map.of("service-account.key", FIRST.privateKey(), "service-account.pub", FIRST.publicKey()),
                Map.of("service-account.key", FIRST.privateKey()));
        private final Random random;
        private TokenSecrets tokens = NOTHING_LEFT;

        World(long seed) {
            random = new Random(seed);
        }

        private Seen seen() {
            return new Seen(
                    new Signer(model.daemonSet(), model.secretOf(model.daemonSet())),
                    new Signer(model.deployment(), model.secretOf(model.deployment())),
                    Optional.of(tokens),
                    Optional.empty());
        }

        private static Set<String> names(SecretFiles secret, String file) {
            return PublicKeys.publicKeys(secret.file(file).orElseThrow()).orElseThrow();
        }

        /** What anybody signs now is accepted by every server that runs. */
        private void live() {
            List<SecretFiles> servers = new ArrayList<>(List.of(model.runningSecret()));
            if (!model.apiServerIsSettled()) {
                servers.add(model.secretOf(model.daemonSet()));
            }
            List<SecretFiles> signers = new ArrayList<>(servers);
            signers.add(model.managerRunningSecret());
            signers.add(model.secretOf(model.deployment()));
            for (SecretFiles server : servers) {
                for (SecretFiles signer : signers) {
                    assertThat(names(server, "service-account.pub")).containsAll(names(signer, "service-account.key"));
                }
            }
        }

        private boolean run() {
            Optional<SigningKey> fresh = SigningRotation.goal(seen()).isPresent()
                    ? Optional.empty()
                    : Optional.of(SigningRotation.newKey(seen(), RANDOM));
            String goal = SigningRotation.goal(seen())
                    .orElseGet(() -> fresh.orElseThrow().id());
            while (true) {
                live();
                boolean killed = random.nextInt(6) == 0;
                switch (SigningRotation.next(seen(), goal, fresh, false)) {
                    case Step.Finished() -> {
                        return true;
                    }
                    case Step.Wait _ -> {
                        if (random.nextBoolean()) {
                            model.carryOut();
                        }
                    }
                    case Step.Change change -> {
                        assertThat(seen().with(new Signer(change.workload(), change.secret()))
                                        .step(goal))
                                .as("each change leads one step on")
                                .isEqualTo(seen().step(goal) + 1);
                        model.create(change.secret());
                        if (killed) {
                            return false;
                        }
                        model.propose(change.workload());
                    }
                    case Step other -> throw new AssertionError(other);
                }
                if (killed) {
                    return false;
                }
            }
        }
    }

    @Test
    void endsWithTheNewKeyAloneThroughChangesThatAKeeperCarriesOutHoweverOftenItIsKilled() {
        qt().withExamples(60).forAll(longs().all()).checkAssert(seed -> {
            World world = new World(seed);
            int runs = 0;
            while (!world.run()) {
                assertThat(++runs).as("runs").isLessThan(200);
            }
            Set<String> end = World.names(world.model.runningSecret(), "service-account.pub");
            assertThat(end)
                    .hasSize(1)
                    .isNotEqualTo(PublicKeys.publicKeys(FIRST.publicKey()).orElseThrow());
            assertThat(World.names(world.model.runningSecret(), "service-account.key"))
                    .isEqualTo(end);
            assertThat(World.names(world.model.managerRunningSecret(), "service-account.key"))
                    .isEqualTo(end);
            assertThat(world.model.runningSecret().file("service-account-next.key"))
                    .isEmpty();
        });
    }

    @Test
    void keepsTheOldPublicKeyWhileSomebodyMayNeedItUnlessToldOtherwise() {
        World world = new World(1);
        SigningKey key = untilAPodRemains(world);
        assertThat(SigningRotation.goal(world.seen())).contains(key.id());
        assertThat(SigningRotation.next(world.seen(), key.id(), Optional.empty(), true))
                .isInstanceOf(Step.Change.class);
    }

    /** A busy cluster always has some pod that ends: only once new pods get new tokens is there a last one with an old token. */
    @Test
    void waitsForPodsThatEndWhenEachAccountHasItsSuccessor() {
        World world = new World(1);
        String key = untilAPodRemains(world).id();
        Json successor = Json.object();
        world.tokens = new TokenSecrets(
                List.of(), List.of(successor), List.of(), List.of(), List.of(), List.of("a pod to end"), List.of());
        assertThat(SigningRotation.next(world.seen(), key, Optional.empty(), false))
                .isInstanceOf(Step.Renew.class);

        world.tokens = new TokenSecrets(
                List.of(), List.of(), List.of(), List.of(), List.of(), List.of("a pod to end"), List.of());
        assertThat(SigningRotation.next(world.seen(), key, Optional.empty(), false))
                .isEqualTo(new Step.Wait("a pod to end"));
        assertThat(SigningRotation.next(world.seen(), key, Optional.empty(), true))
                .isInstanceOf(Step.Change.class);
    }

    private static SigningKey untilAPodRemains(World world) {
        world.tokens = new TokenSecrets(
                List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of("a pod has an old token"));
        SigningKey key = SigningRotation.newKey(world.seen(), RANDOM);
        Step step = SigningRotation.next(world.seen(), key.id(), Optional.of(key), false);
        while (!(step instanceof Step.Remains)) {
            if (step instanceof Step.Change change) {
                world.model.create(change.secret());
                world.model.propose(change.workload());
                world.model.carryOut();
            }
            step = SigningRotation.next(world.seen(), key.id(), Optional.empty(), false);
        }
        assertThat(step).isEqualTo(new Step.Remains(List.of("a pod has an old token")));
        return key;
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA"})
    void makesAKeyOfTheSameKindWhoseHalvesAreKnownToBelongTogether(String algorithm) {
        PublicKey example = example(algorithm);
        SigningKey key = SigningKey.like(example, RANDOM);
        PublicKey half = PublicKeys.readable(key.publicKey()).orElseThrow().getFirst();

        assertThat(half.getAlgorithm()).isEqualTo(algorithm);
        assertThat(PublicKeys.publicKeys(key.privateKey()))
                .isPresent()
                .isEqualTo(PublicKeys.publicKeys(key.publicKey()))
                .contains(Set.of(PublicKeys.nameOf(half)));
        assertThat(SigningKey.id(half)).isEqualTo(key.id());
        assertThat(key.toString()).doesNotContain("PRIVATE");
    }

    @Test
    void saysWhichSecretHasNotWhatItsTemplateNames() {
        assertRefused(
                Map.of("service-account.key", FIRST.privateKey()),
                ErrorCode.NOT_FOUND,
                "has no service-account.pub",
                "asset directory has it in tls/");
        assertRefused(
                Map.of("service-account.key", FIRST.privateKey(), "service-account.pub", BROKEN),
                ErrorCode.INVALID_KEY_MATERIAL,
                "a key that is not understood",
                "asset directory has it in tls/");
        assertRefused(
                Map.of("service-account.key", "no PEM", "service-account.pub", FIRST.publicKey()),
                ErrorCode.INVALID_KEY_MATERIAL,
                "a key that is not understood",
                "asset directory has it in tls/");
    }

    @Test
    void refusesAServerThatDoesNotAcceptItsOwnTokens() {
        assertRefused(
                Map.of(
                        "service-account.key",
                        FIRST.privateKey(),
                        "service-account.pub",
                        SigningKey.like(example("EC"), RANDOM).publicKey()),
                ErrorCode.UNSUPPORTED_CLUSTER,
                "does not accept what the server signs",
                "docs/change.md");
    }

    private static void assertRefused(Map<String, String> files, ErrorCode code, String what, String next) {
        RotationModel model = new RotationModel(files, Map.of("service-account.key", FIRST.privateKey()));
        Json.Fields data = Json.object();
        for (Map.Entry<String, String> file : files.entrySet()) {
            byte[] content = file.getValue().getBytes(StandardCharsets.US_ASCII);
            data = data.with(file.getKey(), Json.text(Base64.getEncoder().encodeToString(content)));
        }
        Json.Fields secret = (Json.Fields) model.secretOf(model.daemonSet()).object();
        Seen seen = new Seen(
                new Signer(model.daemonSet(), new SecretFiles(secret.with("data", data))),
                new Signer(model.deployment(), model.secretOf(model.deployment())),
                Optional.of(NOTHING_LEFT),
                Optional.empty());
        Refusal.of(() -> SigningRotation.newKey(seen, RANDOM), code)
                .whereContains("kube-apiserver")
                .whatContains(what)
                .nextContains(next);
    }

    @Test
    void refusesKeysOfAnApiServerThatAreInTwoSecrets() throws MalformedJson {
        Json workload = JsonText.read("""
                {"kind": "DaemonSet", "metadata": {"name": "kube-apiserver", "namespace": "kube-system"},
                 "spec": {"template": {"spec": {
                  "containers": [{
                   "name": "kube-apiserver",
                   "command": [
                    "kube-apiserver",
                    "--service-account-key-file=/one/a.pub",
                    "--service-account-signing-key-file=/two/a.key"],
                   "volumeMounts": [{"name": "one", "mountPath": "/one"}, {"name": "two", "mountPath": "/two"}]}],
                  "volumes": [
                   {"name": "one", "secret": {"secretName": "one"}},
                   {"name": "two", "secret": {"secretName": "two"}}]}}}}""");
        Refusal.of(() -> SigningRotation.secretOfApiServer(workload), ErrorCode.UNSUPPORTED_CLUSTER)
                .whereContains("kube-apiserver", "--service-account-key-file")
                .whatContains("do not name two files of one Secret")
                .nextContains("docs/change.md");
    }
}
