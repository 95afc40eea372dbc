package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A node with both servers behind a front, and clients of them. */
abstract class ServersBehindAFront {
    static final Duration LEASE = Duration.ofSeconds(60);
    static final Duration SECOND_SYN = Duration.ofMillis(2500);
    static final Duration AT_ONCE = Duration.ofMillis(900);
    static final String PRINCIPAL = "principal";
    static final String UNDERSTUDY = "understudy";

    TestNode node;
    Front front;
    TestServer principal;
    TestServer understudy;

    @BeforeEach
    void startServers() throws Exception {
        node = new TestNode();
        front = node.front();
        principal = TestServer.start(node.namespace(), TestNode.PRINCIPAL_PORT, PRINCIPAL);
        understudy = TestServer.start(node.namespace(), TestNode.UNDERSTUDY_PORT, UNDERSTUDY);
    }

    @AfterEach
    void stopServers() throws Exception {
        principal.close();
        understudy.close();
        node.close();
    }

    static int portAt(String address) {
        return List.of(TestNode.CLUSTER_IP, TestNode.CLUSTER_IP_IPV6).contains(address) ? 443 : TestNode.PRINCIPAL_PORT;
    }

    static TestClient connect(NetworkNamespace from, String address) throws Exception {
        return TestClient.connect(from, address, TestNode.PRINCIPAL_PORT);
    }

    static String whoAnswers(NetworkNamespace from, String address) throws Exception {
        return TestClient.whoAnswers(from, address, TestNode.PRINCIPAL_PORT);
    }

    static void await(Duration limit, Callable<Boolean> condition) throws Exception {
        Instant deadline = Instant.now().plus(limit);
        while (!condition.call()) {
            assertThat(Instant.now()).as("the condition within %s", limit).isBefore(deadline);
            Thread.sleep(Duration.ofMillis(5));
        }
    }
}
