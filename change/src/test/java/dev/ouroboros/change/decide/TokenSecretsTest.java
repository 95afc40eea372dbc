package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TokenSecretsTest {
    private static final String NEW = "NewKey_-1234567890";
    private static final String SUCCESSOR = "app-token-newkey0012";
    private static final Instant SIGNS = Instant.parse("2026-01-01T10:00:00Z");

    private final List<Json> secrets = new ArrayList<>();
    private final List<Json> accounts = new ArrayList<>();
    private final List<Json> pods = new ArrayList<>();

    private static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private void secret(String name, String key) {
        String head = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(("{\"alg\":\"ES256\",\"kid\":\"" + key + "\"}").getBytes(StandardCharsets.UTF_8));
        String token = key.isEmpty()
                ? ""
                : Base64.getEncoder().encodeToString((head + ".e30.signature").getBytes(StandardCharsets.UTF_8));
        secrets.add(json("{'metadata': {'namespace': 'shop', 'name': '" + name + "', 'uid': 'u-" + name
                + "', 'annotations': {'kubernetes.io/service-account.name': 'app'}},"
                + "'type': 'kubernetes.io/service-account-token', 'data': {'token': '" + token + "'}}"));
    }

    private void account(String... listed) {
        List<String> names = new ArrayList<>();
        for (String name : listed) {
            names.add("{'name': '" + name + "'}");
        }
        accounts.add(json(
                "{'metadata': {'namespace': 'shop', 'name': 'app'}, 'secrets': [" + String.join(",", names) + "]}"));
    }

    private void pod(String volume, String created) {
        pods.add(json("{'metadata': {'namespace': 'shop', 'name': 'web', 'creationTimestamp': '" + created
                + "'}, 'status': {'phase': 'Running'}, 'spec': {'volumes': [" + volume + "]}}"));
    }

    private TokenSecrets judged(Instant now) {
        return TokenSecrets.of(secrets, accounts, pods, NEW, SIGNS, now);
    }

    @Test
    void givesEveryAccountWithAnOldTokenASuccessor() {
        secret("app-token-old", "OldKey");
        account("app-token-old");

        assertThat(judged(SIGNS).successors()).singleElement().satisfies(made -> {
            assertThat(made.at("metadata", "name").text()).contains(SUCCESSOR);
            assertThat(made.at("metadata", "namespace").text()).contains("shop");
            assertThat(made.at("type").text()).contains(TokenSecrets.TYPE);
        });
    }

    @Test
    void putsASignedSuccessorFirstSoThatNewPodsGetIt() {
        secret("app-token-old", "OldKey");
        secret(SUCCESSOR, NEW);
        account("app-token-old", "other");

        assertThat(judged(SIGNS).reordered())
                .singleElement()
                .satisfies(account -> assertThat(account.at("secrets").items().stream()
                                .map(entry -> entry.at("name").text().orElse("")))
                        .containsExactly(SUCCESSOR, "app-token-old", "other"));
    }

    @Test
    void takesASuccessorAwayThatAnEndingControllerManagerSignedWithTheOldKey() {
        secret("app-token-old", "OldKey");
        secret(SUCCESSOR, "OldKey");
        account("app-token-old", SUCCESSOR);

        TokenSecrets tokens = judged(SIGNS);
        assertThat(tokens.wrong()).containsExactly(new TokenSecrets.Token("shop", SUCCESSOR, "u-" + SUCCESSOR));
        assertThat(tokens.reordered()).isEmpty();
        assertThat(tokens.unused()).isEmpty();
    }

    @Test
    void waitsForTheControllerManagerToSign() {
        secret(SUCCESSOR, "");

        assertThat(judged(SIGNS).pending()).containsExactly("shop/" + SUCCESSOR);
    }

    /** Its workload was restarted a moment before. */
    @Test
    void waitsForAPodThatEndsAndNotForOneOfAMachineThatIsGone() {
        secret("app-token-old", "OldKey");
        secret(SUCCESSOR, NEW);
        account(SUCCESSOR, "app-token-old");
        pods.add(json("{'metadata': {'namespace': 'shop', 'name': 'web', 'creationTimestamp': '2026-01-01T09:00:00Z',"
                + " 'deletionTimestamp': '2026-01-01T10:00:30Z'}, 'status': {'phase': 'Running'},"
                + " 'spec': {'volumes': [{'secret': {'secretName': 'app-token-old'}}]}}"));

        assertThat(judged(SIGNS).ending()).singleElement().asString().contains("shop/web", "app-token-old");
        assertThat(judged(SIGNS).remains()).isEmpty();
        assertThat(judged(SIGNS).unused()).isEmpty();

        Instant later = SIGNS.plusSeconds(91);
        assertThat(judged(later).ending()).isEmpty();
        assertThat(judged(later).remains()).singleElement().asString().contains("shop/web");
    }

    @Test
    void keepsAnOldTokenThatAPodHasAndNamesThePod() {
        secret("app-token-old", "OldKey");
        secret(SUCCESSOR, NEW);
        account(SUCCESSOR, "app-token-old");
        pod("{'secret': {'secretName': 'app-token-old'}}", "2026-01-01T09:00:00Z");

        TokenSecrets tokens = judged(SIGNS);
        assertThat(tokens.unused()).isEmpty();
        assertThat(tokens.remains()).singleElement().asString().contains("shop/web", "app-token-old");

        pods.clear();
        assertThat(judged(SIGNS).unused())
                .containsExactly(new TokenSecrets.Token("shop", "app-token-old", "u-app-token-old"));
        assertThat(judged(SIGNS).remains()).isEmpty();
    }

    @Test
    void neverDeletesASecretThatNoAccountLists() {
        secret("made-by-hand", "OldKey");
        account();

        TokenSecrets tokens = judged(SIGNS);
        assertThat(tokens.unused()).isEmpty();
        assertThat(tokens.successors()).isEmpty();
        assertThat(tokens.remains()).singleElement().asString().contains("shop/made-by-hand");
    }

    @Test
    void waitsForTheLifetimeOfTokensThatKubeletsExchange() {
        pod(
                "{'projected': {'sources': [{'serviceAccountToken': {'expirationSeconds': 3607}}]}}",
                "2026-01-01T09:00:00Z");

        assertThat(judged(SIGNS).remains()).singleElement().asString().contains("2026-01-01T11:00:07Z");
        assertThat(judged(SIGNS.plusSeconds(3607)).remains()).isEmpty();

        pods.clear();
        pod("{'projected': {'sources': [{'serviceAccountToken': {}}]}}", "2026-01-01T10:00:01Z");
        assertThat(judged(SIGNS).remains()).isEmpty();
    }

    @Test
    void takesATokenWithoutAKeysNameForAnOldOne() {
        secrets.add(json("{'metadata': {'namespace': 'shop', 'name': 'odd', 'annotations':"
                + " {'kubernetes.io/service-account.name': 'app'}}, 'data': {'token': 'bm8gdG9rZW4='}}"));
        account("odd");

        assertThat(judged(SIGNS).successors()).hasSize(1);
    }
}
