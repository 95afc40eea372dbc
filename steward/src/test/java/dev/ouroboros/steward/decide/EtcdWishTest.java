package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class EtcdWishTest {
    private static EtcdWish wish(String etcd) throws JsonText.MalformedJson {
        return EtcdWish.of(JsonText.read(etcd.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whatIsNotNamedIsNotWished() throws Exception {
        assertThat(wish("{\"size\":3}").isEmpty()).isTrue();
        EtcdWish wish = wish("{\"image\":\"etcd:3.5.1\",\"flags\":{\"quota-backend-bytes\":\"4000000000\"}}");
        assertThat(wish.isEmpty()).isFalse();
        assertThat(wish.image()).contains("etcd:3.5.1");
        assertThat(wish.flags()).containsEntry("quota-backend-bytes", "4000000000");
        assertThat(wish.mistake()).isEmpty();
    }

    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    /** With dashes in front it would be another flag, and etcd would not start. */
    @Test
    void aNameOfNoFlagIsTold() throws Exception {
        assertThat(wish("{\"flags\":{\"--quota-backend-bytes\":\"1\"}}").mistake())
                .hasValueSatisfying(text -> assertThat(text).contains("\"--quota-backend-bytes\"", "without dashes"));
    }

    @Test
    void whatANodeSaysComesBackFromTheStatus() throws Exception {
        MemberManifest failed = new MemberManifest(
                "a",
                4,
                MemberManifest.State.FAILED,
                "it ended",
                true,
                false,
                Optional.of(new MemberManifest.Defragmentation(NOON, "no room")));
        MemberManifest current = new MemberManifest(
                "b",
                4,
                MemberManifest.State.CURRENT,
                "",
                false,
                true,
                Optional.of(new MemberManifest.Defragmentation(NOON, "")));
        assertThat(current.json().at("message").isNull())
                .as("API servers of 1.20 refuse an empty text")
                .isTrue();
        Json object = Json.object()
                .with(
                        "status",
                        Json.object()
                                .with(
                                        "etcd",
                                        Json.object()
                                                .with(
                                                        "manifests",
                                                        Json.items(Stream.of(failed.json(), current.json())))));
        assertThat(MemberManifest.of(new ControlPlaneObject(object), "a")).contains(failed);
        assertThat(MemberManifest.of(new ControlPlaneObject(object), "b")).contains(current);
        assertThat(MemberManifest.of(new ControlPlaneObject(object), "c")).isEmpty();
    }

    @Test
    void aFileThatWasWrittenAnewRestsForAnHour() {
        MemberManifest.Defragmentation last = new MemberManifest.Defragmentation(NOON, "");
        assertThat(last.isRecent(NOON)).isTrue();
        assertThat(last.isRecent(NOON.plusSeconds(3599))).isTrue();
        assertThat(last.isRecent(NOON.plusSeconds(3600))).isFalse();
        assertThat(last.isRecent(NOON.minusSeconds(3601)))
                .as("of a clock that went back")
                .isFalse();
    }
}
