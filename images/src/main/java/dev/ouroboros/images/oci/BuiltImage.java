package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.ProductVersion;
import java.util.List;
import java.util.Optional;

/** What an image is built for, and the binaries that go into it; the first one is its entrypoint. */
public enum BuiltImage {
    KUBE_APISERVER(Binary.KUBE_APISERVER, List.of()),
    KUBE_CONTROLLER_MANAGER(Binary.KUBE_CONTROLLER_MANAGER, List.of()),
    KUBE_SCHEDULER(Binary.KUBE_SCHEDULER, List.of()),
    KUBE_PROXY(Binary.KUBE_PROXY, List.of()),
    ETCD(Binary.ETCD, List.of(Binary.ETCDCTL, Binary.ETCDUTL)),
    /** Ours, as the next: made of jars, not of a binary. */
    KEEPER(Component.KEEPER),
    DNS(Component.DNS),
    STEWARD(Component.STEWARD),
    PAUSE(Binary.PAUSE, List.of());

    /** Images of pause have one tag for all versions, so that a runtime's configuration can name it beforehand. */
    private static final String PAUSE_TAG = "1";

    private static final String REPOSITORY = "localhost/ouroboros/";

    private final String imageName;

    @SuppressWarnings("ImmutableEnumChecker") // An Optional of an enum's constant is.
    private final Optional<Binary> binary;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is.
    private final List<Binary> companions;

    BuiltImage(Binary binary, List<Binary> companions) {
        this.imageName = binary.fileName();
        this.binary = Optional.of(binary);
        this.companions = companions;
    }

    BuiltImage(Component component) {
        this.imageName = component.image();
        this.binary = Optional.empty();
        this.companions = List.of();
    }

    /** The program it is built around. */
    public Optional<Binary> binary() {
        return binary;
    }

    /** Further binaries that go into the image when there are any. */
    public List<Binary> companions() {
        return companions;
    }

    /** The name of the image without registry and tag. */
    public String imageName() {
        return imageName;
    }

    /** The image's tag when it is built from these binaries. */
    public String tag(Binaries binaries) {
        return binary.map(program -> switch (program.project()) {
                    case KUBERNETES -> binaries.kubernetesVersion();
                    case ETCD -> binaries.etcdVersion();
                    case PAUSE -> PAUSE_TAG;
                })
                .orElseGet(ProductVersion::current);
    }

    /** The image's reference, as in a pod: {@code localhost/ouroboros/kube-apiserver:1.20.2}. */
    public String reference(String tag) {
        return REPOSITORY + imageName() + ":" + tag;
    }
}
