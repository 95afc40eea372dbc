package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether the target's images are of the target's version. What an image is called is all that is known of it before it runs: a tag may be a
 * version, with a suffix of whoever built it; a digest, or another word, says none.
 */
final class ImageJudge {
    private static final String CHECK = "image-versions";

    private ImageJudge() {}

    /** @param now version of the oldest API server */
    static List<PlanFinding> judge(ClusterSeen seen, Intent intent, KubernetesVersion now) {
        List<PlanFinding> findings = new ArrayList<>();
        boolean becomesAnother = now.compareTo(intent.version()) != 0;
        for (Component component : Component.KUBERNETES) {
            Optional<Json> container = container(intent.target(), component);
            String image = image(container);
            String before = image(container(seen.workloads(), component).or(() -> container(intent.base(), component)));
            Optional<KubernetesVersion> said = container.flatMap(Members::tag);
            boolean isOther = said.filter(version -> version.compareTo(intent.version()) != 0)
                    .isPresent();
            // A cluster that has this image and this version already has it because somebody chose so.
            if (isOther && (becomesAnother || !image.equals(before))) {
                findings.add(other(component, image, intent));
            } else if (becomesAnother && !image.isEmpty() && stays(image, before, said)) {
                findings.add(same(component, image, intent));
            }
        }
        return findings;
    }

    private static PlanFinding other(Component component, String image, Intent intent) {
        return blocking(
                CHECK,
                where(component, intent),
                "is " + image + ", and the target is " + intent.version(),
                "what is called " + intent.version() + " afterwards would be another version",
                "name the image of " + intent.version() + " there, or leave it out");
    }

    private static PlanFinding same(Component component, String image, Intent intent) {
        return warning(
                CHECK,
                where(component, intent),
                "its image does not change: " + image,
                component.id() + " stays what it is, unless there is another program behind that name now",
                "name the image of " + intent.version() + " there, or leave it out");
    }

    private static String where(Component component, Intent intent) {
        return intent.document().where("spec.images." + component.field());
    }

    /** Whether nothing about the name says that it is another program. */
    private static boolean stays(String image, String before, Optional<KubernetesVersion> said) {
        String digest = digest(image);
        return digest.isEmpty() ? said.isEmpty() && image.equals(before) : digest.equals(digest(before));
    }

    private static String digest(String image) {
        int at = image.indexOf('@');
        return at < 0 ? "" : image.substring(at);
    }

    private static Optional<Json> container(Evidence<List<Manifest>> manifests, Component component) {
        return manifests.orElse(List.of()).stream()
                .filter(manifest -> ObjectName.WORKLOADS.contains(manifest.kind()))
                .flatMap(manifest -> manifest.container(component).stream())
                .findFirst();
    }

    private static String image(Optional<Json> container) {
        return container.flatMap(found -> found.at("image").text()).orElse("");
    }
}
