package dev.ouroboros.render.config;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.ProductVersion;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.cluster.ClusterSpec.DnsProvider;
import dev.ouroboros.render.cluster.ImageNames;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks the document's DNS. By default the server comes from where the API server does: with images that {@code ouro images} built it is ours, with
 * those of a registry CoreDNS. An owner who has add-ons may have a DNS among them, and gets none by default.
 */
final class DnsChecks {
    private static final String NONE = "none";
    private static final String LOCAL = "localhost/";

    private final Settings settings;
    private final VersionFacts facts;
    private final List<Problem> problems;

    DnsChecks(Settings settings, VersionFacts facts, List<Problem> problems) {
        this.settings = settings;
        this.facts = facts;
        this.problems = problems;
    }

    Optional<ClusterSpec.Dns> dns(ImageNames images) {
        Optional<Located> given = settings.text(Field.DNS_PROVIDER);
        Optional<DnsProvider> provider = given.map(this::named).orElseGet(() -> fitting(images));
        Optional<Located> image = settings.text(Field.IMAGE_DNS);
        image.filter(reference -> !ClusterChecks.isImage(reference.value()))
                .ifPresent(reference -> problem(
                        reference, "found " + reference.value(), "an image, as in registry.example/coredns:v1.12.1"));
        provider.ifPresent(chosen -> image.filter(reference -> isOfAnother(chosen, reference.value()))
                .ifPresent(reference -> problem(
                        reference,
                        "found " + reference.value() + ", while " + Field.DNS_PROVIDER.path() + " is " + chosen.field(),
                        "an image of " + chosen.field() + ", or nothing: then it is " + image(chosen))));
        return provider.map(
                chosen -> new ClusterSpec.Dns(chosen, image.map(Located::value).orElseGet(() -> image(chosen))));
    }

    /** Whether the image is another provider's, by its usual name; a mirror may use other names. */
    private static boolean isOfAnother(DnsProvider chosen, String image) {
        return switch (chosen) {
            case COREDNS -> image.startsWith(ImageNames.local(Component.DNS.image(), ""));
            case OUROBOROS -> image.matches("(.*/)?coredns([:@].*)?");
        };
    }

    private Optional<DnsProvider> fitting(ImageNames images) {
        if (settings.isSet(Field.ADD_ONS)) {
            return Optional.empty();
        }
        return Optional.of(images.apiServer().startsWith(LOCAL) ? DnsProvider.OUROBOROS : DnsProvider.COREDNS);
    }

    private Optional<DnsProvider> named(Located given) {
        Optional<DnsProvider> found = Arrays.stream(DnsProvider.values())
                .filter(provider -> provider.field().equals(given.value()))
                .findFirst();
        if (found.isEmpty() && !given.value().equals(NONE)) {
            problem(
                    given,
                    "found " + given.value(),
                    Arrays.stream(DnsProvider.values())
                            .map(DnsProvider::field)
                            .collect(Collectors.joining(", ", "one of ", ", " + NONE)));
        }
        return found;
    }

    private String image(DnsProvider provider) {
        return switch (provider) {
            case COREDNS -> facts.coreDnsImage();
            case OUROBOROS -> ImageNames.local(Component.DNS.image(), ProductVersion.current());
        };
    }

    private void problem(Located value, String what, String expected) {
        problems.add(new Problem(ErrorCode.INVALID_CONFIG, value.where(), what, expected, ClusterDocument.EXAMPLE));
    }
}
