package dev.ouroboros.keeper.agent;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.keeper.agent.decide.CopyDuty;
import dev.ouroboros.keeper.agent.decide.Wish;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what {@link CopyDuty} says, in the agent that acts. */
final class CopyKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(CopyKeeper.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    /** Of the files of the DaemonSet's pod, and of two requests of the static copy's. */
    private static final Duration SELDOM = Duration.ofSeconds(10);

    private static final ApiPath DAEMON_SET =
            ApiPath.of("apps/v1", "kube-system", "daemonsets").named(Component.NODE_AGENT.id());
    private static final Evidence<Wish> NOT_ASKED = Evidence.unknown("was not asked yet");

    private final NodeAgentOptions options;
    private final Optional<StaticCopy> copy;
    private final Succession succession;
    private final Api api;
    private final ClusterGuard guard;
    private final BooleanSupplier named;
    private final Runnable end;
    private final InstantSource clock;
    private final AtomicReference<Evidence<Wish>> wish = new AtomicReference<>(NOT_ASKED);
    private Optional<Instant> nowhereSince = Optional.empty();
    private Instant actsSince = Instant.MAX;
    private Optional<String> trouble = Optional.empty();

    /**
     * @param copy what is on the disk; empty when no copy is to be kept
     * @param named whether the API said where its servers are
     * @param end of this process
     */
    CopyKeeper(
            NodeAgentOptions options,
            Optional<StaticCopy> copy,
            Succession succession,
            Api api,
            ClusterGuard guard,
            BooleanSupplier named,
            Runnable end,
            InstantSource clock) {
        this.options = options;
        this.copy = copy;
        this.succession = succession;
        this.api = api;
        this.guard = guard;
        this.named = named;
        this.end = end;
        this.clock = clock;
    }

    /** Begins: only in the process that acts on this node. */
    void start(Lookouts lookouts) {
        actsSince = clock.instant();
        if (options.staticCopy() && copy.filter(StaticCopy::isHalfRemoved).isPresent()) {
            carryOut(CopyDuty.REMOVE);
        } else if (options.staticCopy()) {
            lookouts.every("wish", SELDOM, this::askForWish);
            lookouts.every("static-copy", LOOK_EVERY, this::tend);
        } else {
            lookouts.every("static-copy", SELDOM, this::tend);
        }
    }

    private void askForWish() {
        try {
            guard.require();
            Optional<Json> daemonSet = api.find(DAEMON_SET);
            Json node = api.get(ApiPath.core("nodes").named(options.nodeName()));
            wish.set(Evidence.known(Wish.of(daemonSet, node)));
        } catch (ApiException e) {
            wish.set(Evidence.unknown(String.valueOf(e.getMessage())));
        }
    }

    synchronized void tend() {
        Evidence<Wish> wished = wish.get();
        nowhereSince = wished.is(Wish.NOWHERE::equals)
                ? nowhereSince.or(() -> Optional.of(clock.instant()))
                : Optional.empty();
        Evidence<Boolean> right =
                copy.map(StaticCopy::isRight).orElseGet(() -> Evidence.unknown("no static copy is asked for"));
        CopyDuty duty = CopyDuty.of(
                new CopyDuty.Seen(
                        options.staticCopy(),
                        named.getAsBoolean(),
                        right,
                        succession.successor(),
                        wished,
                        nowhereSince,
                        actsSince),
                clock.instant());
        try {
            carryOut(duty);
            note(copy.isPresent() && !options.staticCopy() ? right : Evidence.known(true));
        } catch (ProblemException e) {
            note(Evidence.unknown(e.describe()));
        }
    }

    private void carryOut(CopyDuty duty) {
        switch (duty) {
            case NONE -> {}
            case WRITE -> {
                copy.ifPresent(StaticCopy::write);
                LOG.info("component=node-agent event=static-copy-written");
            }
            case ADMIT -> {
                succession.admit();
                LOG.info("component=node-agent event=admits-successor");
            }
            case GIVE_WAY -> {
                LOG.info("component=node-agent event=gives-way");
                end.run();
            }
            case REMOVE -> {
                LOG.info("component=node-agent event=leaves reason=\"no agent is wanted on this node\"");
                copy.ifPresent(StaticCopy::remove);
                end.run();
            }
        }
    }

    private void note(Evidence<Boolean> right) {
        Optional<String> now =
                right instanceof Evidence.Unknown<Boolean>(String reason) ? Optional.of(reason) : Optional.empty();
        if (now.isPresent() && !now.equals(trouble)) {
            LOG.warn("component=node-agent event=no-static-copy reason=\"{}\"", now.get());
        }
        trouble = now;
    }
}
