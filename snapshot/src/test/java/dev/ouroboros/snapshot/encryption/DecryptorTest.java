package dev.ouroboros.snapshot.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.encryption.Decryptor.Outcome;
import dev.ouroboros.snapshot.encryption.Decryptor.Refusal;
import dev.ouroboros.snapshot.kubernetes.StoredValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

final class DecryptorTest {
    private static final byte[] OBJECT = "{\"kind\":\"Secret\"}".getBytes(StandardCharsets.UTF_8);
    private static final byte[] ETCD_KEY = "/registry/secrets/default/a".getBytes(StandardCharsets.UTF_8);
    private static final byte[] FIRST = key(1);
    private static final byte[] SECOND = key(2);

    private static byte[] key(int fill) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) fill);
        return key;
    }

    private static EncryptionKey named(Provider provider, String name, byte[] secret) {
        return new EncryptionKey(provider, name, secret, "keys.yaml: " + name);
    }

    private static Outcome open(byte[] stored, EncryptionKey... keys) throws Exception {
        StoredValue.Encrypted value = (StoredValue.Encrypted) StoredValue.of(stored);
        return new Decryptor(new EncryptionConfiguration(List.of(keys), List.of())).open(value, ETCD_KEY);
    }

    private static byte[] stored(String prefix, byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(prefix.getBytes(StandardCharsets.US_ASCII));
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] aesCbc(byte[] key) throws GeneralSecurityException {
        byte[] iv = new byte[16];
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(iv));
        return stored("k8s:enc:aescbc:v1:key:", iv, cipher.doFinal(OBJECT));
    }

    private static byte[] aesGcm(byte[] key) throws GeneralSecurityException {
        byte[] nonce = new byte[12];
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
        cipher.updateAAD(ETCD_KEY);
        return stored("k8s:enc:aesgcm:v1:key:", nonce, cipher.doFinal(OBJECT));
    }

    private static void opened(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Opened.class);
        assertThat(((StoredValue.JsonObject) ((Outcome.Opened) outcome).value()).text())
                .isEqualTo(OBJECT);
    }

    @Test
    void triesKeysOfOneNameInTheirOrder() throws Exception {
        opened(open(aesCbc(SECOND), named(Provider.AESCBC, "key", FIRST), named(Provider.AESCBC, "key", SECOND)));
        opened(open(aesGcm(SECOND), named(Provider.AESGCM, "key", FIRST), named(Provider.AESGCM, "key", SECOND)));
    }

    @Test
    void opensNoValueThatWasMovedToAnotherKey() throws Exception {
        StoredValue.Encrypted value = (StoredValue.Encrypted) StoredValue.of(aesGcm(FIRST));
        EncryptionConfiguration keys =
                new EncryptionConfiguration(List.of(named(Provider.AESGCM, "key", FIRST)), List.of());
        assertThat(new Decryptor(keys).open(value, "/registry/secrets/default/b".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Outcome.Closed.class);
    }

    /** The test vector that NaCl comes with. */
    @Test
    void opensASecretBox() {
        HexFormat hex = HexFormat.of();
        byte[] key = hex.parseHex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
        byte[] nonce = hex.parseHex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
        byte[] sealed = hex.parseHex(
                "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a"
                        + "c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae"
                        + "90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74"
                        + "e355a5");
        byte[] text = SecretBox.open(key, stored("", nonce, sealed)).orElseThrow();
        assertThat(hex.formatHex(text))
                .isEqualTo(
                        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296"
                                + "cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde0489"
                                + "77eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705");
        sealed[40] ^= 1;
        assertThat(SecretBox.open(key, stored("", nonce, sealed))).isEmpty();
    }

    @Test
    void namesTheKeyThatIsMissing() throws Exception {
        Outcome outcome = open(aesCbc(FIRST), named(Provider.AESCBC, "other", FIRST));
        assertThat(((Outcome.Closed) outcome).refusal().what())
                .isEqualTo("is encrypted with aescbc key, and this key was not given (given: aescbc other)");
    }

    @Test
    void saysThatAKeyOfThisNameDoesNotFit() throws Exception {
        for (byte[] stored : List.of(aesCbc(FIRST), aesGcm(FIRST))) {
            Provider provider = stored[11] == 'c' ? Provider.AESCBC : Provider.AESGCM;
            Outcome outcome = open(stored, named(provider, "key", SECOND));
            assertThat(((Outcome.Closed) outcome).refusal()).isInstanceOf(Refusal.WrongKey.class);
        }
    }

    @Test
    void namesTheNeedOfAKms() throws Exception {
        for (String version : List.of("v1", "v2")) {
            Outcome outcome = open(stored("k8s:enc:kms:" + version + ":vault:", new byte[40]));
            assertThat(((Outcome.Closed) outcome).refusal().what()).contains("KMS " + version, "vault");
        }
        assertThat(((Outcome.Closed) open(stored("k8s:enc:rot13:v1:a:", OBJECT)))
                        .refusal()
                        .what())
                .contains("rot13");
    }

    @Test
    void survivesPayloadsOfAnyLength() throws Exception {
        for (int length = 0; length < 60; length++) {
            for (Provider provider : Provider.values()) {
                byte[] stored = stored("k8s:enc:" + provider.label() + ":v1:key:", new byte[length]);
                assertThat(open(stored, named(provider, "key", FIRST))).isInstanceOf(Outcome.Closed.class);
            }
        }
    }

    @Test
    void readsAConfigurationOfEveryProvider() {
        EncryptionConfiguration configuration =
                EncryptionConfiguration.read("""
                kind: EncryptionConfiguration
                apiVersion: apiserver.config.k8s.io/v1
                resources:
                - resources: [secrets]
                  providers:
                  - secretbox: {keys: [{name: a, secret: %1$s}]}
                  - aesgcm: {keys: [{name: b, secret: %1$s}, {name: c, secret: %1$s}]}
                  - kms: {name: vault, endpoint: "unix:///socket"}
                - resources: [configmaps]
                  providers:
                  - identity: {}
                  - aescbc: {keys: [{name: d, secret: %1$s}]}
                """.formatted(Base64.getEncoder().encodeToString(FIRST)), "keys.yaml");
        assertThat(configuration.labels()).containsExactly("secretbox a", "aesgcm b", "aesgcm c", "aescbc d");
        assertThat(configuration.kms()).containsExactly("vault");
    }

    @Test
    void collectsEveryMistakeOfAConfiguration() {
        assertThatThrownBy(() -> EncryptionConfiguration.read("""
                        kind: Pod
                        resources:
                        - providers: [{rot13: {}}, {aescbc: {}}, {aesgcm: {keys: [{secret: YQ==}, {name: a, secret: YQ==}, {name: b, secret: "%"}]}}]
                        - resources: [secrets]
                        """, "keys.yaml"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .extracting(problem -> problem.where() + " " + problem.what())
                                .containsExactly(
                                        "keys.yaml: kind is Pod",
                                        "keys.yaml: resources[0].providers[0] is the unknown provider rot13",
                                        "keys.yaml: resources[0].providers[1].aescbc.keys is missing or empty",
                                        "keys.yaml: resources[0].providers[2].aesgcm.keys[0].name is missing",
                                        "keys.yaml: resources[0].providers[2].aesgcm.keys[1].secret has 1 bytes",
                                        "keys.yaml: resources[0].providers[2].aesgcm.keys[2].secret is not base64",
                                        "keys.yaml: resources[1].providers is missing or no list"));
        assertThatThrownBy(() -> EncryptionConfiguration.read("a: [", "keys.yaml"))
                .hasMessageContaining("not YAML");
        assertThatThrownBy(() -> EncryptionConfiguration.read("", "keys.yaml")).isInstanceOf(ProblemException.class);
    }

    @Test
    void neverPrintsASecret() {
        assertThat(named(Provider.AESCBC, "key", FIRST).toString()).isEqualTo("aescbc key");
    }
}
