package dev.ouroboros.probe;

import dev.ouroboros.probe.client.ApiRequest;
import dev.ouroboros.probe.client.Outcome;
import dev.ouroboros.probe.client.ProbeClient;
import dev.ouroboros.probe.report.Sample;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The same request again and again at a fixed rate, each on a thread of its own, so that a slow one delays no other. */
final class RequestSeries {
    private final ProbeClient client;
    private final ApiRequest request;
    private final Timeline timeline;
    private final Recorder recorder;
    private final Pace pace;
    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    private final Thread pacer;

    RequestSeries(ProbeClient client, ApiRequest request, Duration interval, Timeline timeline, Recorder recorder) {
        this.client = client;
        this.request = request;
        this.timeline = timeline;
        this.recorder = recorder;
        this.pace = new Pace(interval, timeline.nanoTime());
        this.pacer = Thread.ofPlatform().name("probe-pace").daemon().unstarted(this::run);
    }

    void start() {
        pacer.start();
    }

    private void run() {
        for (long sequence = 0; pace.next(); sequence++) {
            long number = sequence;
            requests.execute(() -> send(number));
        }
    }

    private void send(long sequence) {
        Duration sent = timeline.now();
        Outcome outcome = client.call(request);
        recorder.record(new Sample(sequence, sent, timeline.now(), outcome.retries(), outcome.failure()));
    }

    /** Sends no more; returns when the last request was sent. */
    void stopSending() throws InterruptedException {
        pace.stop();
        pacer.join();
    }

    /** Waits for the requests that are under way, at most for their timeout, and lets the client go. */
    void finish() {
        requests.close();
        client.close();
    }
}
