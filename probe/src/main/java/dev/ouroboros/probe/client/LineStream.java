package dev.ouroboros.probe.client;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An answer that arrives line by line, with a bounded wait for each line. */
public final class LineStream {
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicReference<Flow.@Nullable Subscription> subscription = new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<?>> request = new AtomicReference<>();

    /** What arrives, in this order: at most one {@link Opened}, lines, one {@link Ended}. */
    public sealed interface Event {
        record Opened(int status, Optional<String> retryAfter) implements Event {}

        record Line(String text) implements Event {}

        record Ended(String reason) implements Event {}
    }

    /** The next event, or empty when none came in time. */
    public Optional<Event> next(Duration wait) throws InterruptedException {
        return Optional.ofNullable(events.poll(wait.toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Tells the server that no more is wanted. */
    public void cancel() {
        Flow.Subscription active = subscription.get();
        if (active != null) {
            active.cancel();
        }
        CompletableFuture<?> sent = request.get();
        if (sent != null) {
            sent.cancel(true);
        }
    }

    /** Takes an answer; {@code heard} runs whenever something of it arrives. */
    HttpResponse.BodyHandler<Void> bodyHandler(Runnable heard) {
        return answer -> {
            heard.run();
            events.add(new Event.Opened(answer.statusCode(), answer.headers().firstValue("Retry-After")));
            return HttpResponse.BodySubscribers.fromLineSubscriber(new Lines(heard));
        };
    }

    void startedBy(CompletableFuture<HttpResponse<Void>> answer) {
        request.set(answer);
        var _ = answer.whenComplete((response, failure) -> {
            // Failures after the headers reach the subscriber too; whoever reads stops at the first end.
            if (failure != null) {
                events.add(new Event.Ended(ProbeFailures.describe(failure)));
            }
        });
    }

    private final class Lines implements Flow.Subscriber<String> {
        private final Runnable heard;

        Lines(Runnable heard) {
            this.heard = heard;
        }

        @Override
        public void onSubscribe(Flow.Subscription active) {
            subscription.set(active);
            active.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            heard.run();
            events.add(new Event.Line(line));
        }

        @Override
        public void onError(Throwable failure) {
            events.add(new Event.Ended(ProbeFailures.describe(failure)));
        }

        @Override
        public void onComplete() {
            events.add(new Event.Ended("the server ended it"));
        }
    }
}
