package dev.ouroboros.images.debian;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SourceVersionTest {
    @ParameterizedTest
    @CsvSource({
        "1.20.5+really1.20.2-1.1+deb12u1, 1.20.2",
        "1.32.3-1, 1.32.3",
        "1.32.3+ds-2, 1.32.3",
        "1:1.33.0~rc.1-1, 1.33.0-rc.1",
        "1.20.2, 1.20.2",
    })
    void findsTheKubernetesVersionInDebians(String debian, String kubernetes) {
        assertThat(SourceVersion.parse(debian).kubernetes()).isEqualTo(kubernetes);
    }

    @Test
    void refusesWhatHasNone() {
        assertThatThrownBy(() -> SourceVersion.parse("unstable-1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void buildsOldSourcesWithAnOldGo() {
        assertThat(GoPackages.inOrder(SourceVersion.parse("1.20.2-1"))).first().isEqualTo("golang-1.19-go");
        assertThat(GoPackages.inOrder(SourceVersion.parse("1.32.3-1"))).first().isEqualTo("golang-go");
        assertThat(GoPackages.programs("golang-1.19-go")).isEqualTo(Path.of("/usr/lib/go-1.19/bin"));
        assertThat(GoPackages.programs("golang-go")).isEqualTo(Path.of("/usr/lib/go/bin"));
    }
}
