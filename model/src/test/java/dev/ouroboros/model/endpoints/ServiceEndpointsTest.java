package dev.ouroboros.model.endpoints;

import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ServiceEndpointsTest {
    private static final ServiceEndpoints OWN = ServiceEndpoints.of("10.0.0.1", 6443);
    private static final Evidence<Set<String>> ALL = Evidence.known(Set.of("10.0.0.1", "10.0.0.2"));

    private static Json subsets(String addresses, String ports) {
        return yaml("[{addresses: %s, ports: %s}]".formatted(addresses, ports));
    }

    private static Json subsets(String addresses) {
        return subsets(addresses, "[{name: https, port: 6443, protocol: TCP}]");
    }

    private static boolean inSlice(String endpoints, String ports) {
        return OWN.areInSlice(yaml("{endpoints: %s, ports: %s}".formatted(endpoints, ports)));
    }

    private static ServiceEndpoints kept(
            ServiceEndpoints own, Json present, Evidence<Set<String>> members, boolean serves) {
        return own.keeping(present, members, () -> serves).orElseThrow();
    }

    @Test
    void endpointsHoldTheAddressesAndThePortAndNothingElse() {
        assertThat(OWN.areIn(subsets("[{ip: 10.0.0.1}]"))).isTrue();
        assertThat(OWN.areIn(subsets("[{ip: 10.0.0.2}]"))).isFalse();
        assertThat(OWN.areIn(subsets("[{ip: 10.0.0.1}, {ip: 10.0.0.2}]"))).isFalse();
        assertThat(OWN.areIn(subsets("[{ip: 10.0.0.1}]", "[{name: https, port: 26443}]")))
                .isFalse();
        assertThat(OWN.areIn(yaml("[]"))).isFalse();
        assertThat(OWN.areIn(Json.absent())).isFalse();
    }

    @Test
    void aSliceLeadsToTheNodeOnlyWithItsAddressAndItsPort() {
        String here = "[{addresses: [10.0.0.1], conditions: {ready: true}}]";
        String ours = "[{name: https, port: 6443, protocol: TCP}]";

        assertThat(inSlice(here, ours)).isTrue();
        assertThat(inSlice("[{addresses: [10.0.0.2], conditions: {ready: true}}]", ours))
                .isFalse();
        assertThat(inSlice("[{addresses: [10.0.0.1], conditions: {ready: false}}]", ours))
                .isFalse();
        assertThat(inSlice("[]", ours)).isFalse();
        assertThat(inSlice(here, "[{name: https, port: 26443, protocol: TCP}]")).isFalse();
        assertThat(inSlice(here, "[]")).isFalse();
        assertThat(inSlice(here, "[{name: https, port: 6443, protocol: TCP}, {name: other, port: 1, protocol: TCP}]"))
                .isFalse();
    }

    @Test
    void whatIsWrittenIsRight() {
        ServiceEndpoints both = kept(OWN, subsets("[{ip: 10.0.0.2}]"), ALL, true);

        assertThat(both.areIn(both.endpoints().at("subsets"))).isTrue();
        assertThat(both.areInSlice(both.slice("discovery.k8s.io/v1"))).isTrue();
        assertThat(both.slice("discovery.k8s.io/v1").at("addressType").text()).contains("IPv4");
        assertThat(ServiceEndpoints.of("fd00::1", 6443)
                        .slice("discovery.k8s.io/v1")
                        .at("addressType")
                        .text())
                .contains("IPv6");
    }

    @Test
    void anotherMemberStaysAndAStrangerGoes() {
        Json present = subsets("[{ip: 10.0.0.2}, {ip: 10.0.0.9}]");

        assertThat(OWN.isAloneIn(present)).isFalse();
        assertThat(kept(OWN, present, ALL, true).addresses()).containsExactly("10.0.0.1", "10.0.0.2");
    }

    /** Nothing is removed on unknown evidence. */
    @Test
    void everyAddressStaysWhileTheMembersAreUnknown() {
        assertThat(kept(OWN, subsets("[{ip: 10.0.0.9}]"), Evidence.unknown("403"), true)
                        .addresses())
                .containsExactly("10.0.0.1", "10.0.0.9");
    }

    /** A slice has one family. */
    @Test
    void anAddressOfTheOtherFamilyGoes() {
        assertThat(kept(OWN, subsets("[{ip: 'fd00::2'}]"), Evidence.known(Set.of("fd00::2")), true)
                        .addresses())
                .containsExactly("10.0.0.1");
    }

    @Test
    void anAddressIsKnownHoweverItIsWritten() {
        ServiceEndpoints own = ServiceEndpoints.of("2001:db8:0:0:0:0:0:1", 6443);
        Json present = subsets("[{ip: '2001:db8::1'}, {ip: '2001:db8::2'}]");

        assertThat(kept(own, present, Evidence.known(Set.of("2001:db8::1", "2001:db8::2")), true)
                        .areIn(present))
                .isTrue();
    }

    /** Or it would add itself for ever, and the others take it out. */
    @Test
    void oneThatIsNoMemberAnyMoreTakesItselfOutUnlessItIsTheLast() {
        Evidence<Set<String>> other = Evidence.known(Set.of("10.0.0.2"));

        assertThat(kept(OWN, subsets("[{ip: 10.0.0.1}, {ip: 10.0.0.2}]"), other, true)
                        .addresses())
                .containsExactly("10.0.0.2");
        assertThat(kept(OWN, subsets("[{ip: 10.0.0.1}]"), other, true).addresses())
                .containsExactly("10.0.0.1");
    }

    @Test
    void oneThatHasNotServedYetIsNotAddedAndOneThatIsAwayStays() {
        assertThat(kept(OWN, subsets("[{ip: 10.0.0.2}]"), ALL, false).addresses())
                .containsExactly("10.0.0.2");
        assertThat(kept(OWN, subsets("[{ip: 10.0.0.1}, {ip: 10.0.0.2}]"), ALL, false)
                        .addresses())
                .containsExactly("10.0.0.1", "10.0.0.2");
    }

    /** Seed 294 of the simulator: of three labels the one that was left was that of a node without a server, which took the place of those that served. */
    @Test
    void aNodeThatLostItsLabelIsNamedUntilOneThatHasItServes() {
        assertThat(kept(OWN, subsets("[{ip: 10.0.0.9}]"), ALL, false).addresses())
                .containsExactly("10.0.0.9");
        assertThat(kept(OWN, subsets("[{ip: 10.0.0.9}]"), ALL, true).addresses())
                .containsExactly("10.0.0.1");
    }

    /** Somebody has deleted them: who never served would be named alone, and stay named for good. */
    @Test
    void whereNobodyIsThereOneThatServesBegins() {
        for (Json present : List.of(Json.absent(), subsets("[]"), subsets("[{ip: 'fd00::2'}]"))) {
            assertThat(OWN.keeping(present, ALL, () -> false)).isEmpty();
            assertThat(kept(OWN, present, ALL, true).addresses()).containsExactly("10.0.0.1");
            assertThat(kept(OWN, present, Evidence.known(Set.of("10.0.0.2")), true)
                            .addresses())
                    .as("one that is no member any more, and serves until another one is there")
                    .containsExactly("10.0.0.1");
            assertThat(kept(OWN, present, Evidence.known(Set.of("10.0.0.1", "fd00::1")), false)
                            .addresses())
                    .as("there is no other one")
                    .containsExactly("10.0.0.1");
            assertThat(OWN.keeping(present, Evidence.unknown("403"), () -> false))
                    .isEmpty();
            assertThat(kept(OWN, present, Evidence.unknown("403"), true).addresses())
                    .containsExactly("10.0.0.1");
        }
    }
}
