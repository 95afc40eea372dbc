package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.checkpoint.SavedFile;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Small checkpoints that differ. */
final class CheckpointFixture {
    static final ComponentName API_SERVER = new ComponentName("kube-system", "kube-apiserver");
    static final ComponentName OTHER = new ComponentName("web", "front");

    private CheckpointFixture() {}

    static Checkpoint of(ComponentName component, String version) {
        return of(component, version, 0);
    }

    static Checkpoint of(ComponentName component, String version, int group) {
        Json.Fields pod = json("""
                {"metadata": {"namespace": "NAMESPACE"},
                 "spec": {"containers": [{"name": "kube-apiserver", "image": "api:VERSION", "command": ["kube-apiserver"]}],
                          "volumes": [{"name": "keys", "hostPath": {"path": "keys", "type": "Directory"}},
                                      {"name": "none", "hostPath": {"path": "none", "type": "Directory"}}]}}
                """.replace("NAMESPACE", component.namespace()).replace("VERSION", version));
        return new Checkpoint(
                component,
                component.equals(API_SERVER) ? Role.API_SERVER : Role.OTHER,
                pod,
                List.of(file("ca.pem", 0644, group, version), file("deep/er/key.pem", 0440, group, "key")));
    }

    private static SavedFile file(String path, int mode, int group, String content) {
        return new SavedFile("keys", path, mode, group, Content.of(content.getBytes(StandardCharsets.UTF_8)));
    }

    static Json.Fields json(String text) {
        try {
            return (Json.Fields) JsonText.read(text);
        } catch (JsonText.MalformedJson e) {
            throw new UncheckedIOException(e);
        }
    }
}
