package dev.ouroboros.keeper.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.checkpoint.SavedFile;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Isolated("computes for many seconds; others of this module wait with limits")
final class ChangeCheckTest {
    private static final ComponentName NAME = new ComponentName("kube-system", "kube-apiserver");
    private static final String DIRECTORY = "/etc/kubernetes/secrets/";

    /** An API server as a checkpoint has it. */
    private static final class Server {
        private final Map<String, String> flags = new LinkedHashMap<>();
        private final List<String> more = new ArrayList<>();
        private final Map<String, String> files = new LinkedHashMap<>();
        private String image = "kube-apiserver:v1.20.2";

        Server() {
            flags.put("secure-port", "6443");
            flags.put("service-cluster-ip-range", "10.3.0.0/24");
        }

        Server image(String tag) {
            image = "registry.invalid:5000/kube-apiserver:" + tag;
            return this;
        }

        Server flag(String name, String value) {
            flags.put(name, value);
            return this;
        }

        Server again(String name, String value) {
            more.add("--" + name + "=" + value);
            return this;
        }

        Server file(String flag, String name, String content) {
            files.put(name, content);
            return flag(flag, DIRECTORY + name);
        }

        Server alone(String name, String content) {
            files.put(name, content);
            return this;
        }

        Checkpoint checkpoint() {
            List<String> words = new ArrayList<>(List.of("kube-apiserver"));
            flags.forEach((name, value) -> words.add("--" + name + "=" + value));
            words.addAll(more);
            Json mount = Json.object()
                    .with("name", Json.text("secrets"))
                    .with("mountPath", Json.text("/etc/kubernetes/secrets"));
            Json container = Json.object()
                    .with("name", Json.text("kube-apiserver"))
                    .with("image", Json.text(image))
                    .with("command", Json.texts(words))
                    .with("volumeMounts", new Json.Items(List.of(mount)));
            Json.Fields pod = Json.object()
                    .with("metadata", Json.object().with("namespace", Json.text("kube-system")))
                    .with("spec", Json.object().with("containers", new Json.Items(List.of(container))));
            List<SavedFile> saved = new ArrayList<>();
            files.forEach((name, content) -> saved.add(
                    new SavedFile("secrets", name, 0400, 0, Content.of(content.getBytes(StandardCharsets.UTF_8)))));
            return new Checkpoint(NAME, Role.API_SERVER, pod, saved);
        }
    }

    private static List<Problem> conflicts(Server running, Server next) {
        return ChangeCheck.conflicts(running.checkpoint(), next.checkpoint());
    }

    private static List<Problem> beside(Server other, Server running, Server next) {
        return ChangeCheck.conflictsBeside(
                "node-2/it", other.checkpoint(), Optional.of(running.checkpoint()), next.checkpoint());
    }

    /** What leads nearer to a server that is too far away already is the way out. */
    @ParameterizedTest
    @CsvSource({
        "v1.20.2, v1.21.0, v1.22.0, false",
        "v1.20.2, v1.22.0, v1.23.0, false",
        "v1.22.0, v1.20.2, v1.21.0, true",
        "v1.22.0, v1.20.2, v1.20.3, true",
        "v1.21.0, v1.20.2, v1.20.2, true",
        "v1.20.2, v1.21.0, v1.21.1, true",
    })
    void aVersionMayNotBeFartherFromAnotherServersThanItIs(String other, String running, String next, boolean may) {
        List<Problem> found = beside(
                new Server().image(other),
                new Server().image(running),
                new Server().image(next).flag("v", "3"));

        assertThat(found.isEmpty()).isEqualTo(may);
        assertThat(found).allSatisfy(problem -> {
            assertThat(problem.what()).endsWith(" from " + other + ", beside API server node-2/it");
            assertThat(problem.next()).startsWith("change that node first");
        });
    }

    @Test
    void whatAnotherServerDoesNotHaveAlikeAlreadyIsNoReason() {
        Server other = new Server().flag("etcd-prefix", "/elsewhere");

        assertThat(beside(other, new Server(), new Server().flag("v", "3"))).isEmpty();
        assertThat(beside(new Server(), new Server(), other))
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).endsWith("--etcd-prefix"));
        assertThat(ChangeCheck.conflictsBeside(
                        "node-2/it", new Server().checkpoint(), Optional.empty(), other.checkpoint()))
                .hasSize(1);
    }

    @Test
    void letsAnyOtherChangePass() {
        assertThat(conflicts(new Server(), new Server().flag("v", "3").flag("profiling", "false")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "service-cluster-ip-range, 10.4.0.0/24",
        "secure-port, 6444",
        "etcd-prefix, /elsewhere",
    })
    void refusesWhatBothHaveToAgreeOnWithTheFlagsPath(String flag, String value) {
        assertThat(conflicts(new Server(), new Server().flag(flag, value)))
                .singleElement()
                .extracting(Problem::where)
                .isEqualTo("spec.template.spec.containers[0].command --" + flag);
    }

    @ParameterizedTest
    @CsvSource({
        "v1.20.2, v1.20.9, true",
        "v1.20.9, v1.20.2, true",
        "v1.20.2, v1.21.0, true",
        "v1.20.2, v1.22.0, false",
        "v1.21.0, v1.20.2, false",
        "v1.20.2, latest, true"
    })
    void allowsOneMinorVersionAtATime(String from, String to, boolean allowed) {
        assertThat(conflicts(new Server().image(from), new Server().image(to)).isEmpty())
                .isEqualTo(allowed);
    }

    @Nested
    class OfEncryption {
        private static final String FLAG = "encryption-provider-config";

        @Test
        void noNodeWritesWithAKeyBeforeAllCanReadIt() {
            assertThat(beside(with("key1,identity"), with("key1,key2,identity"), with("key2,key1,identity")))
                    .singleElement()
                    .satisfies(problem ->
                            assertThat(problem.what()).contains("cannot read", "beside API server node-2/it"));
            assertThat(beside(with("key1,key2,identity"), with("key1,key2,identity"), with("key2,key1,identity")))
                    .isEmpty();
        }

        /** @param providers as in {@code key1,key2,identity}: keys of aescbc in a row, the writer first */
        private static Server with(String providers) {
            return providers.isEmpty()
                    ? new Server()
                    : new Server().file(FLAG, "encryption.yaml", configuration(providers.split(",")));
        }

        private static String configuration(String... providers) {
            StringBuilder text = new StringBuilder("""
                    # written by people
                    apiVersion: apiserver.config.k8s.io/v1
                    kind: EncryptionConfiguration
                    resources:
                    - resources:
                      - secrets
                      providers:
                    """);
            for (String provider : providers) {
                if (provider.equals("identity")) {
                    text.append("  - identity: {}\n");
                } else {
                    text.append("  - aescbc:\n      keys:\n      - name: ")
                            .append(provider)
                            .append("\n        secret: \"c2VjcmV0LW9m-")
                            .append(provider)
                            .append("=\"\n");
                }
            }
            return text.toString();
        }

        @ParameterizedTest
        @CsvSource({
            // The steps of a rotation, and of switching encryption on and off.
            "'key1,identity', 'key1,key2,identity', true",
            "'key1,key2,identity', 'key2,key1,identity', true",
            "'key2,key1,identity', 'key2,identity', true",
            "'', 'identity,key1', true",
            "'identity,key1', 'key1,identity', true",
            "'key1,identity', 'identity,key1', true",
            "'identity,key1', '', true",
            // The same in one step.
            "'key1,identity', 'key2,key1,identity', false",
            "'key1,identity', 'key2,identity', false",
            "'', 'key1,identity', false",
            "'key1,identity', '', false",
            "'key1', 'key1,identity', true",
        })
        void needsAKeyToBeReadBeforeItWrites(String from, String to, boolean allowed) {
            assertThat(conflicts(with(from), with(to)).isEmpty()).isEqualTo(allowed);
        }

        @Test
        void namesTheFlagAndTheFirstStep() {
            List<Problem> problems = conflicts(with("key1,identity"), with("key2,key1,identity"));

            assertThat(problems).singleElement().satisfies(problem -> {
                assertThat(problem.where()).isEqualTo("spec.template.spec.containers[0].command --" + FLAG);
                assertThat(problem.what()).contains("secrets");
                assertThat(problem.next()).contains("reader first");
            });
        }

        @Test
        void tellsAKeyByItsNameAndItsSecret() {
            String other = configuration("key1", "identity").replace("c2VjcmV0", "b3RoZXI");
            assertThat(conflicts(with("key1,identity"), new Server().file(FLAG, "encryption.yaml", other)))
                    .isNotEmpty();
        }

        @Test
        void readsJsonToo() {
            String json = "{\"resources\": [{\"resources\": [\"secrets\"], \"providers\": ["
                    + "{\"aescbc\": {\"keys\": [{\"name\": \"key1\", \"secret\": \"c2VjcmV0LW9m-key1=\"}]}},"
                    + "{\"identity\": {}}]}]}";
            assertThat(conflicts(with("key1,identity"), new Server().file(FLAG, "encryption.json", json)))
                    .isEmpty();
        }

        @Test
        void letsAFilePassThatItCannotReadAndThatDoesNotChange() {
            String anchored = "resources: &all [a, b]\nproviders: *all\n";
            assertThat(conflicts(
                            new Server().file(FLAG, "encryption.yaml", anchored),
                            new Server().file(FLAG, "encryption.yaml", anchored).flag("v", "3")))
                    .isEmpty();
        }

        @Test
        void refusesWhatItCannotRead() {
            Server anchored = new Server().file(FLAG, "encryption.yaml", "resources: &all [a, b]\nproviders: *all\n");
            assertThat(conflicts(with("key1,identity"), anchored))
                    .singleElement()
                    .extracting(Problem::what)
                    .asString()
                    .contains("cannot be compared");
        }
    }

    @Nested
    class OfClientAuthorities {
        private static Server trusting(String... authorities) {
            StringBuilder bundle = new StringBuilder();
            for (String authority : authorities) {
                bundle.append("-----BEGIN CERTIFICATE-----\n")
                        .append(authority)
                        .append("\n-----END CERTIFICATE-----\n");
            }
            return new Server().file("client-ca-file", "ca.crt", bundle.toString());
        }

        @ParameterizedTest
        @CsvSource({"A, A B, true", "A B, B, true", "A, B, false", "A B, C D, false", "A, A, true"})
        void oneHasToBeTrustedByBoth(String from, String to, boolean allowed) {
            assertThat(conflicts(
                                    trusting(from.split(" ")).flag("v", "2"),
                                    trusting(to.split(" ")).flag("v", "3"))
                            .isEmpty())
                    .isEqualTo(allowed);
        }
    }

    @Nested
    class OfServiceAccounts {
        private final List<KeyPair> keys = keys();

        @Test
        void tellsKeysOnCurvesByTheirPrivateHalvesToo() throws GeneralSecurityException {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            for (String curve : List.of("secp256r1", "secp384r1", "secp521r1")) {
                generator.initialize(new ECGenParameterSpec(curve));
                KeyPair one = generator.generateKeyPair();
                KeyPair other = generator.generateKeyPair();
                String half = pem("PRIVATE KEY", one.getPrivate().getEncoded());

                assertThat(PublicKeys.publicKeys(half))
                        .isPresent()
                        .isEqualTo(PublicKeys.publicKeys(
                                pem("PUBLIC KEY", one.getPublic().getEncoded())))
                        .isNotEqualTo(PublicKeys.publicKeys(
                                pem("PUBLIC KEY", other.getPublic().getEncoded())));
            }
        }

        private static List<KeyPair> keys() {
            try {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                generator.initialize(2048);
                return List.of(generator.generateKeyPair(), generator.generateKeyPair());
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }

        private static String pem(String kind, byte[] der) {
            return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + kind
                    + "-----\n";
        }

        private Server signing(int key, Integer... verifying) {
            Server server = new Server()
                    .file(
                            "service-account-signing-key-file",
                            "signing.key",
                            pem("PRIVATE KEY", keys.get(key).getPrivate().getEncoded()));
            for (int trusted : verifying) {
                String name = "trusted-" + trusted + ".pub";
                server.alone(
                                name,
                                pem("PUBLIC KEY", keys.get(trusted).getPublic().getEncoded()))
                        .again("service-account-key-file", DIRECTORY + name);
            }
            return server;
        }

        @ParameterizedTest
        @CsvSource({
            "0, 0, 0, 0 1, true",
            "0, 0 1, 1, 0 1, true",
            "1, 0 1, 1, 1, true",
            "0, 0, 1, 1, false",
            "0, 0, 1, 0 1, false",
            "0, 0 1, 1, 1, false",
            "0, 0 1, 0, 1, false",
        })
        void eachAcceptsWhatTheOtherSigns(int from, String trusts, int to, String trustsThen, boolean allowed) {
            assertThat(conflicts(signing(from, numbers(trusts)), signing(to, numbers(trustsThen)))
                            .isEmpty())
                    .isEqualTo(allowed);
        }

        private static Integer[] numbers(String text) {
            return Arrays.stream(text.split(" ")).map(Integer::valueOf).toArray(Integer[]::new);
        }

        @Test
        void knowsThePublicHalfOfEveryFormOfAKey() {
            byte[] pkcs8 = keys.getFirst().getPrivate().getEncoded();
            byte[] spki = keys.getFirst().getPublic().getEncoded();
            // What is inside PKCS #8 and X.509 of RSA: 26 and 24 bytes of head for a key of 2048 bits.
            byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);
            byte[] pkcs1Public = Arrays.copyOfRange(spki, 24, spki.length);

            assertThat(PublicKeys.publicKeys(pem("RSA PRIVATE KEY", pkcs1)))
                    .isPresent()
                    .isEqualTo(PublicKeys.publicKeys(pem("PRIVATE KEY", pkcs8)))
                    .isEqualTo(PublicKeys.publicKeys(pem("PUBLIC KEY", spki)))
                    .isEqualTo(PublicKeys.publicKeys(pem("RSA PUBLIC KEY", pkcs1Public)));
        }

        @Test
        void refusesKeysThatCannotBeCompared() {
            Server other = new Server()
                    .file("service-account-signing-key-file", "signing.key", pem("EC PRIVATE KEY", new byte[] {1, 2}))
                    .file("service-account-key-file", "ec.pub", pem("PUBLIC KEY", new byte[] {3}));
            assertThat(conflicts(signing(0, 0), other)).isNotEmpty();
            assertThat(conflicts(other, other.flag("v", "4"))).isEmpty();
        }
    }
}
