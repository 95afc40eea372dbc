package dev.ouroboros.model.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The states that the kernel shows are tested on the kernel; here is what nft may print and must not be misread. */
class FrontListingTest {
    private static final FrontTable TABLE = new FrontTable(FrontSpec.of(
            List.of(InetAddress.ofLiteral("192.168.10.5")),
            List.of(ServiceAddress.ofKubernetes(InetAddress.ofLiteral("10.3.0.1")))));
    private static final String PORT_LEASE = """
            {"map": {"name": "front", "elem": [[{"elem": {"val": 6443, "timeout": 15, "expires": 12}}, 26443]]}}""";
    private static final String SERVICE_LEASE = """
            {"map": {"name": "service4", "elem": [[{"elem": {"val": {"concat": ["10.3.0.1", 443]}, "timeout": 15, \
            "expires": 11}}, {"concat": ["192.168.10.5", 26443]}]]}}""";

    private static final String CUT = """
            {"set": {"name": "principal_cut", "elem": [{"elem": {"val": "tcp", "timeout": 20, "expires": 9}}]}}""";

    private final FrontListing listing = new FrontListing(TABLE);

    @Test
    void takesTheShorterLease() {
        assertThat(listing.read(installed(PORT_LEASE, SERVICE_LEASE)))
                .isEqualTo(new FrontState.ToUnderstudy(Duration.ofSeconds(11)));
        assertThat(listing.read(installed())).isEqualTo(new FrontState.ToPrincipal());
    }

    @Test
    void tellsForHowLongThePrincipalIsCutOff() {
        Optional<Duration> lease = Optional.of(Duration.ofSeconds(9));
        assertThat(listing.read(installed(CUT))).isEqualTo(new FrontState.ToPrincipal(lease));
        assertThat(listing.read(installed(PORT_LEASE, SERVICE_LEASE, CUT)))
                .isEqualTo(new FrontState.ToUnderstudy(Duration.ofSeconds(11), lease));
    }

    @Test
    void callsACutWithoutAnEndDamaged() {
        for (String wrong : List.of(
                CUT.replace("\"timeout\": 20, ", ""),
                "{\"set\": {\"name\": \"principal_cut\", \"elem\": [\"tcp\"]}}")) {
            assertThat(listing.read(installed(wrong))).isInstanceOf(FrontState.Damaged.class);
        }
    }

    @Test
    void callsHalfAPointDamaged() {
        assertThat(listing.read(installed(PORT_LEASE))).isInstanceOf(FrontState.Damaged.class);
        assertThat(listing.read(installed(SERVICE_LEASE))).isInstanceOf(FrontState.Damaged.class);
        assertThat(listing.read(installed(PORT_LEASE.replace(" 26443", " 7443"), SERVICE_LEASE)))
                .isInstanceOf(FrontState.Damaged.class);
    }

    @Test
    void callsAnElementWithoutAnEndDamaged() {
        String forever = """
                {"map": {"name": "front", "elem": [[6443, 26443]]}}""";
        assertThat(listing.read(installed(forever, SERVICE_LEASE)))
                .isEqualTo(new FrontState.Damaged("the maps hold an element that never expires"));
    }

    @Test
    void callsTheTableOfAnotherSpecificationDamaged() {
        FrontTable other =
                new FrontTable(new FrontSpec(6443, 16443, List.of(InetAddress.ofLiteral("192.168.10.5")), List.of()));
        assertThat(new FrontListing(other).read(installed())).isInstanceOf(FrontState.Damaged.class);
    }

    @Test
    void callsAnythingElseUnknown() {
        assertThat(listing.read("")).isInstanceOf(FrontState.Unknown.class);
        assertThat(listing.read("Error: No such file or directory")).isInstanceOf(FrontState.Unknown.class);
        assertThat(listing.read("{\"nftables\": [{\"chain\": {}}]}")).isInstanceOf(FrontState.Unknown.class);
        assertThat(listing.read(installed(PORT_LEASE.replace("6443,", "\"x\","), SERVICE_LEASE)))
                .isInstanceOf(FrontState.Unknown.class);
    }

    private static String installed(String... maps) {
        String chains = FrontTable.chains().stream()
                .map(chain -> "{\"chain\": {\"name\": \"" + chain + "\"}}, " + rules(chain))
                .collect(Collectors.joining(", "));
        String separator = maps.length == 0 ? "" : ", ";
        return "{\"nftables\": [" + String.join(", ", maps) + separator + chains + "]}";
    }

    private static String rules(String chain) {
        return TABLE.comments(chain).stream()
                .map(comment -> "{\"rule\": {\"chain\": \"" + chain + "\", \"comment\": \"" + comment + "\"}}")
                .collect(Collectors.joining(", "));
    }
}
