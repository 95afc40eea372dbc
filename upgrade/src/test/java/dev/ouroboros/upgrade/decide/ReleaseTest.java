package dev.ouroboros.upgrade.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import org.junit.jupiter.api.Test;

final class ReleaseTest {
    private static Release of(String version, String emulatedMinor) {
        return Release.of(Json.object()
                .with("gitVersion", Json.text(version))
                .with("emulationMajor", Json.text("1"))
                .with("emulationMinor", Json.text(emulatedMinor)));
    }

    @Test
    void isReadAgainAsItWasWritten() {
        Release tried = of("v1.36.3", "35");

        assertThat(tried).hasToString("1.36.3 as 1.35");
        assertThat(Release.parse(tried.toString())).isEqualTo(tried);
        assertThat(Release.parse("1.20.2")).hasToString("1.20.2");
    }

    @Test
    void aServerThatServesAsItselfEmulatesNothing() {
        assertThat(of("v1.36.3", "36")).isEqualTo(Release.parse("1.36.3"));
        assertThat(Release.of(Json.object().with("gitVersion", Json.text("v1.20.2"))))
                .isEqualTo(Release.parse("1.20.2"));
    }

    @Test
    void aBuildOfOnesOwnIsOfItsVersion() {
        assertThat(Release.parse("1.21.0-custom").isOfAnotherVersion(Release.parse("1.21.0")))
                .isFalse();
        assertThat(Release.parse("1.20.2").isOfAnotherVersion(Release.parse("1.21.0")))
                .isTrue();
        assertThat(Release.parse("somebody's build").isOfAnotherVersion(Release.parse("1.21.0")))
                .isFalse();
    }

    @Test
    void whatServesAsTheVersionOfBeforeCanGoBackToIt() {
        Release before = Release.parse("1.35.1");
        Release tried = of("v1.36.3", "35");

        assertThat(tried.isOfAnotherMinor(before)).isFalse();
        assertThat(Release.parse("1.36.3").isOfAnotherMinor(tried)).isTrue();
        assertThat(Release.parse("1.36.3").isOfAnotherMinor(Release.parse("1.36.1")))
                .isFalse();
        assertThat(Release.parse("somebody's build").isOfAnotherMinor(Release.parse("1.36.1")))
                .isTrue();
    }
}
