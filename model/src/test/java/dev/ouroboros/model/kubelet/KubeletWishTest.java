package dev.ouroboros.model.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KubeletWishTest {
    private static final String DIGEST = "0123456789abcdef".repeat(4);

    static final KubeletGeneration BASE = new KubeletGeneration(
            "v1.20.2",
            "/bin/kubelet",
            Optional.empty(),
            fields("{'cgroupDriver': 'cgroupfs', 'featureGates': {'A': true}, 'maxPods': 110}"),
            new TreeMap<>(Map.of("root-dir", "/var/lib/kubelet", "v", "2")),
            Optional.empty(),
            Optional.empty());

    static Json.Fields fields(String text) {
        try {
            return (Json.Fields) JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private static KubeletWish wish(String text) throws MalformedJson {
        return KubeletWish.read(text.replace('\'', '"'));
    }

    @Test
    void whatIsNotNamedStays() throws MalformedJson {
        KubeletGeneration wanted =
                wish("{'config': {'maxPods': 50, 'featureGates': {'B': false}}, 'arguments': {'v': null, 'feature': 'x'}}")
                        .on(BASE);

        assertThat(wanted.config())
                .isEqualTo(
                        fields("{'cgroupDriver': 'cgroupfs', 'featureGates': {'A': true, 'B': false}, 'maxPods': 50}"));
        assertThat(wanted.arguments()).isEqualTo(Map.of("root-dir", "/var/lib/kubelet", "feature", "x"));
        assertThat(wanted.program()).isEqualTo(BASE.program());
        assertThat(wanted.name()).isNotEqualTo(BASE.name()).hasSize(16);
    }

    @Test
    void aFieldThatIsNullGoes() throws MalformedJson {
        assertThat(wish("{'config': {'maxPods': null, 'absent': null}}")
                        .on(BASE)
                        .config())
                .isEqualTo(fields("{'cgroupDriver': 'cgroupfs', 'featureGates': {'A': true}}"));
    }

    @Test
    void itMeansTheSameOnANodeThatHasIt() throws MalformedJson {
        KubeletWish wish = wish("{'config': {'maxPods': 50, 'evictionHard': null}, 'arguments': {'v': '4'}}");

        assertThat(wish.on(wish.on(BASE)).config()).isEqualTo(wish.on(BASE).config());
        assertThat(wish.on(wish.on(BASE)).arguments()).isEqualTo(wish.on(BASE).arguments());
    }

    /** Else what was made of the former base would be tried on a node that has another one. */
    @Test
    void ofAnotherBaseItIsAnotherGeneration() throws MalformedJson {
        KubeletWish wish = wish("{'config': {'maxPods': 50}}");
        KubeletGeneration other = wish("{'config': {'maxPods': 60}}").on(BASE);

        assertThat(wish.on(other).config()).isEqualTo(wish.on(BASE).config());
        assertThat(wish.on(other).name()).isNotEqualTo(wish.on(BASE).name());
    }

    @Test
    void anotherProgramIsFoundByItsDigest() throws MalformedJson {
        KubeletGeneration wanted = wish("{'program': {'version': 'v1.21.0', 'digest': '" + DIGEST + "'}}")
                .on(BASE);

        assertThat(wanted.version()).isEqualTo("v1.21.0");
        assertThat(wanted.digest()).contains(DIGEST);
        assertThat(wanted.program()).isEqualTo(KubeletLayout.DIRECTORY + "/programs/" + DIGEST + "/kubelet");
    }

    @Test
    void anotherAttemptIsAnotherGeneration() throws MalformedJson {
        KubeletWish once = wish("{'config': {'maxPods': 50}}");

        assertThat(once.on(BASE).name())
                .isNotEqualTo(once.and(wish("{'attempt': '2'}")).on(BASE).name());
    }

    @Test
    void wishesAddUpAndTheLaterWins() throws MalformedJson {
        KubeletWish both = wish("{'config': {'featureGates': {'B': true, 'C': true}, 'maxPods': 50}}")
                .and(wish("{'config': {'featureGates': {'B': null}, 'maxPods': 60}, 'arguments': {'v': '4'}}"));

        assertThat(both.json())
                .isEqualTo(
                        fields(
                                "{'config': {'featureGates': {'B': null, 'C': true}, 'maxPods': 60}, 'arguments': {'v': '4'}}"));
        assertThat(KubeletWish.read(both.text())).isEqualTo(both);
        assertThat(both.settings()).containsExactly("featureGates", "maxPods", "--v");
    }

    @Test
    void nothingHasNoText() throws MalformedJson {
        assertThat(wish("").isNothing()).isTrue();
        assertThat(wish("{}").text()).isEmpty();
        assertThat(wish("{'attempt': '1'}").isNothing())
                .as("the node's own kubelet, once more")
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[1]|is no JSON object",
                "{'configuration': {}}|has an unknown field 'configuration'; expected config, arguments, program, attempt",
                "{'config': 5}|config is no object",
                "{'arguments': ['v=2']}|arguments is no object",
                "{'arguments': {'v': 2}}|arguments.v is no text",
                "{'arguments': {'--v': '2'}}|arguments.--v is no flag",
                "{'program': {'version': 'v1.21.0'}}|program has no version and digest",
                "{'program': {'version': 'v1.21.0', 'digest': 'abc'}}|64 hexadecimal digits",
                "{'attempt': 5}|attempt is no text"
            })
    void whatCannotBeUnderstoodIsNamed(String text, String what) {
        assertThatThrownBy(() -> wish(text)).isInstanceOf(MalformedJson.class).hasMessageContaining(what);
    }
}
