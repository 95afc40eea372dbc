package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class DerivedTest {
    private final AtomicInteger works = new AtomicInteger();
    private final Derived<Integer> derived = new Derived<>();

    private int of(Evidence<String> one, Evidence<String> other) {
        return derived.of(() -> List.of(one, other), works::incrementAndGet);
    }

    @Test
    void isWorkedOutAnewWhenASourceSaysSomethingElse() {
        assertThat(of(Evidence.known("a"), Evidence.known("b"))).isEqualTo(1);
        assertThat(of(Evidence.known("a"), Evidence.known("b"))).isEqualTo(1);
        assertThat(of(Evidence.known("a"), Evidence.known("c"))).isEqualTo(2);
        assertThat(of(Evidence.unknown("a"), Evidence.known("c"))).isEqualTo(3);
        assertThat(of(Evidence.known("a"), Evidence.known("b"))).isEqualTo(4);
    }

    /** What was seen of it may be either: it must not come again when the source says the first again. */
    @Test
    void isNotKeptWhenASourceChangedMeanwhile() {
        AtomicReference<String> source = new AtomicReference<>("a");
        Derived<String> changing = new Derived<>();

        String seen = changing.of(() -> List.of(source.get()), () -> {
            source.set("b");
            return source.get();
        });
        source.set("a");

        assertThat(seen).isEqualTo("b");
        assertThat(changing.of(() -> List.of(source.get()), source::get)).isEqualTo("a");
    }
}
