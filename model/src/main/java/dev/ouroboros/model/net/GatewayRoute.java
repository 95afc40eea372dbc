package dev.ouroboros.model.net;

import java.net.InetAddress;

/**
 * How a machine gets to a block of addresses by a neighbour, whoever said so.
 *
 * @param gateway whom it gives the packets
 */
public record GatewayRoute(Cidr destination, InetAddress gateway) {}
