package dev.ouroboros.model.front;

/** Understands what {@code nft -j list table} prints of the balancer's table. */
public final class BalancerListing {
    private BalancerListing() {}

    /** Whatever it does not understand is unknown. */
    public static BalancerState read(String listing) {
        try {
            return understand(NftListing.parse(listing));
        } catch (IllegalArgumentException e) {
            return new BalancerState.Unknown("nft printed something else than a table: " + e.getMessage());
        }
    }

    private static BalancerState understand(NftListing listing) {
        if (!listing.hasChain(BalancerRules.MARKER_CHAIN)) {
            return new BalancerState.Foreign("table " + BalancerTable.FAMILY + " " + BalancerTable.NAME
                    + " has no chain " + BalancerRules.MARKER_CHAIN + ", so another tool made it");
        }
        return BalancerTable.chains().stream()
                .filter(chain -> !listing.comments(chain).equals(BalancerTable.comments(chain)))
                .findFirst()
                .<BalancerState>map(chain ->
                        new BalancerState.Damaged("the rules of chain " + chain + " are not those of this balancer"))
                .orElseGet(BalancerState.Installed::new);
    }
}
